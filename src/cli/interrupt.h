/** SIGINT, SIGTERM and SIGUSR1: the first asks the run to stop at the end of the batch, the second ends the program at once. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/** Install the handlers. With `announce` the first signal also says on stderr what will happen; to one of several processes
 * (ranks) SIGTERM may mean that another has died. */
void interrupt_install(bool announce, bool is_one_of_several);

/** Has a signal come? */
bool interrupt_requested(void);

#endif
