#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t sandbox_fork(int channel, int niceness) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    // Replaces the parent's own channel.
    if (dup2(channel, SANDBOX_CHANNEL) != SANDBOX_CHANNEL) _exit(1);
    close(channel);
    // A refusal only changes the order of work.
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness);
    return 0;
}

void sandbox_leave(void) { _exit(0); }

int sandbox_end(pid_t child, int *signal) {
    siginfo_t info = {0};
    // Fails if the number belongs to another's process by now.
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return -1;
    // No effect on a process that is exiting: its status is set before it closes files.
    kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 0;
}
