/** SIGINT and SIGTERM: the first asks the run to stop at the end of the batch, the second ends the program at once. */
#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t requested, announces;

static void on_signal(int number)
{
    static const char text[] = "\ncorpuscle: stopping at the end of the batch (once more to end at once)\n";
    (void)number;
    if (requested) {
        _exit(130); /* result files are replaced by rename, so the last one saved is whole */
    }
    requested = 1;
    if (announces) {
        int saved = errno;
        ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
        (void)ignored;
        errno = saved;
    }
}

void interrupt_install(bool announce)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    announces = announce;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A closed pipe must not kill the run before its result is saved; a failed write is reported instead. */
    signal(SIGPIPE, SIG_IGN);
}

bool interrupt_requested(void)
{
    return requested != 0;
}
