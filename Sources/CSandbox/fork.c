#define _GNU_SOURCE
#include "parts.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int sandbox_statm(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    return open(path, O_RDONLY | O_CLOEXEC);
}

pid_t sandbox_fork(int channel, int niceness, int *statm) {
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) != 0) return -1;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0) {
        int error = errno;
        close(gate[0]);
        // Before the child hides itself, since /proc may show hidden processes to root only (hidepid).
        *statm = child > 0 ? sandbox_statm(child) : -1;
        close(gate[1]);
        errno = error;
        return child;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    close(gate[1]);
    char opened;
    while (read(gate[0], &opened, 1) < 0 && errno == EINTR) {}
    close(gate[0]);
    // Replaces the parent's own channel.
    if (dup2(channel, SANDBOX_CHANNEL) != SANDBOX_CHANNEL) _exit(1);
    close(channel);
    // A refusal only changes the order of work.
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness);
    return 0;
}

void sandbox_leave(void) { _exit(0); }

// Fails if the number belongs to another's process by now.
static int is_child(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static int64_t nanoseconds(struct timeval time) {
    return time.tv_sec * INT64_C(1000000000) + time.tv_usec * INT64_C(1000);
}

int sandbox_end(pid_t child, int *signal, uint64_t *peak, int64_t *time) {
    if (!is_child(child)) return -1;
    // No effect on a process that is exiting: its status is set before it closes files.
    kill(child, SIGKILL);
    int status = 0;
    struct rusage usage = {0};
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return -1;
    }
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    *peak = (uint64_t)usage.ru_maxrss << 10;
    *time = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    return 0;
}

int sandbox_usage(int statm, sandbox_memory_usage *usage) {
    char text[256];
    ssize_t count = pread(statm, text, sizeof text - 1, 0);
    if (count <= 0) return -1;
    text[count] = 0;
    unsigned long long resident, shared, data;
    // Pages, see proc(5).
    int found = sscanf(text, "%*u %llu %llu %*u %*u %llu", &resident, &shared, &data);
    if (found != 3) return -1;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    usage->resident = resident * page;
#if SANITIZED
    usage->own = 0;
#else
    usage->own = resident > shared ? (resident - shared) * page : 0;
#endif
    usage->mapped = data * page;
    return 0;
}

int sandbox_limit(pid_t child, uint64_t bytes) {
    if (!is_child(child)) return -1;
#if SANITIZED
    (void)bytes;
    return 0;
#else
    struct rlimit limit;
    if (prlimit(child, RLIMIT_DATA, NULL, &limit) != 0) return -1;
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    return prlimit(child, RLIMIT_DATA, &limit, NULL);
#endif
}
