#define _GNU_SOURCE
#include "parts.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Between fork and exec only async-signal-safe functions and bare system calls: the parent has other
// threads, whose locks are copied as they are.

static void limit(__rlimit_resource_t what, uint64_t most) {
    struct rlimit bound = {most, most};
    setrlimit(what, &bound);
}

static void keep_only(int channel, int report) {
    // Moves the report away from the number that the channel gets.
    int high = fcntl(report, F_DUPFD_CLOEXEC, SANDBOX_CHANNEL + 1);
    if (channel == SANDBOX_CHANNEL) {
        fcntl(channel, F_SETFD, 0);
    } else {
        dup2(channel, SANDBOX_CHANNEL);
    }
    dup2(high, SANDBOX_CHANNEL + 1);
    fcntl(SANDBOX_CHANNEL + 1, F_SETFD, FD_CLOEXEC);
    if (syscall(SYS_close_range, SANDBOX_CHANNEL + 2, ~0U, 0) != 0) {
        for (int file = SANDBOX_CHANNEL + 2; file < 65536; file++) close(file);
    }
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        // Libraries print messages about pictures; results come by the channel.
        dup2(nothing, STDERR_FILENO);
        if (nothing > STDERR_FILENO) close(nothing);
    }
}

static void become(
    const char *path, char *const *arguments, int channel, int report,
    sandbox_limits limits) {
    // One heap, since each reserves addresses. GLib has no blocks of its own, and no thread gets the stack of an
    // earlier one, because these are not cleaned. A crash ends the program at once, without a backtrace. No
    // settings of libvips or GLib from outside.
    static char *const environment[] = {
        "MALLOC_ARENA_MAX=1", "G_SLICE=always-malloc", "GLIBC_TUNABLES=glibc.pthread.stack_cache_size=0",
        "SWIFT_BACKTRACE=enable=no", "LC_ALL=C", "HOME=/nonexistent", NULL,
    };
    setsid();
    keep_only(channel, report);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    limit(RLIMIT_CORE, 0);
    // The channel, shared memory, a font and its configuration.
    limit(RLIMIT_NOFILE, 32);
    limit(RLIMIT_MSGQUEUE, 0);
    // The kernel counts threads of all processes of the user together.
    limit(RLIMIT_NPROC, 4096);
#if !SANITIZED
    if (limits.memory) limit(RLIMIT_DATA, limits.memory);
    if (limits.addresses) limit(RLIMIT_AS, limits.addresses);
#endif
    if (limits.seconds) limit(RLIMIT_CPU, limits.seconds);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    execve(path, arguments, environment);
    int error = errno;
    ssize_t written = write(SANDBOX_CHANNEL + 1, &error, sizeof error);
    (void)written;
    _exit(127);
}

pid_t sandbox_spawn(
    const char *path, char *const *arguments, int channel, sandbox_limits limits) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child == 0) become(path, arguments, channel, report[1], limits);
    int error = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        // Closed without a report once the program runs.
        ssize_t count;
        do count = read(report[0], &error, sizeof error);
        while (count < 0 && errno == EINTR);
        if (count != sizeof error) error = 0;
        if (error) {
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        }
    }
    close(report[0]);
    if (!error) return child;
    errno = error;
    return -1;
}

int64_t sandbox_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    int error = clock_getcpuclockid(process, &clock);
    if (error) {
        errno = error;
        return -1;
    }
    if (clock_gettime(clock, &time) != 0) return -1;
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
