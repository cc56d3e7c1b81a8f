/** SIGINT, SIGTERM and SIGUSR1: the first asks the run to stop at the end of the batch, the second ends the program at once. */
#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t requested, announces, has_others;

static void on_signal(int number)
{
    static const char alone[] = "\ncorpuscle: stopping at the end of the batch (once more to end at once)\n";
    static const char told[] = "\ncorpuscle: told to end (by a person, the batch system, or since another process has died): "
                               "stopping at the end of the batch if there is time; --restart goes on from the last save\n";
    const char *text = has_others && number == SIGTERM ? told : alone;
    size_t n_text = has_others && number == SIGTERM ? sizeof told - 1 : sizeof alone - 1;
    if (requested) {
        _exit(130); /* result files are replaced by rename, so the last one saved is whole */
    }
    requested = 1;
    if (announces) {
        int saved = errno;
        ssize_t ignored = write(STDERR_FILENO, text, n_text);
        (void)ignored;
        errno = saved;
    }
}

void interrupt_install(bool announce, bool is_one_of_several)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    announces = announce;
    has_others = is_one_of_several;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL); /* what batch systems send before the time is up */
    /* A closed pipe must not kill the run before its result is saved; a failed write is reported instead. */
    signal(SIGPIPE, SIG_IGN);
}

bool interrupt_requested(void)
{
    return requested != 0;
}
