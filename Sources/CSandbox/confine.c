#define _GNU_SOURCE
#include "parts.h"
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int sandbox_offered(void) {
    return (sandbox_has_landlock() ? SANDBOX_LANDLOCK : 0)
        | (sandbox_has_filter() ? SANDBOX_SECCOMP : 0);
}

// A sanitizer has a thread of its own.
#if !SANITIZED
static int threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return -1;
    int count = 0;
    while (true) {
        struct dirent *task = readdir(tasks);
        if (!task) break;
        if (task->d_name[0] != '.') count++;
    }
    closedir(tasks);
    return count;
}
#endif

int sandbox_is_alone(void) {
#if SANITIZED
    return 1;
#else
    return threads() == 1;
#endif
}

int sandbox_limit_stacks(size_t bytes) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) return error;
    error = pthread_attr_setstacksize(&attributes, bytes);
    if (!error) error = pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    return error;
}

static void first_to_die(void) {
    // If memory runs out, the kernel kills this process before the service.
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t written = write(file, "1000", 4);
        (void)written;
        close(file);
    }
}

// Root without capabilities is a user like others.
static int drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2], found[2];
    memset(none, 0, sizeof none);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) == 0) return 0;
    // A service manager may forbid the call and have dropped all capabilities itself.
    return syscall(SYS_capget, &header, found) == 0 && memcmp(found, none, sizeof none) == 0 ? 0 : -1;
}

void sandbox_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void sandbox_hide(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int sandbox_confine(const char *const *readable) {
    // Landlock binds the calling thread only; other running threads would keep their rights.
    if (!sandbox_is_alone()) {
        errno = EBUSY;
        return -1;
    }
    first_to_die();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (drop_capabilities() != 0) return -1;
    sandbox_hide();
    // No byte is ever written to a file.
    struct rlimit nothing = {0, 0};
    setrlimit(RLIMIT_FSIZE, &nothing);
    int parts = 0;
    if (sandbox_landlock(readable)) parts |= SANDBOX_LANDLOCK;
    if (sandbox_filter(parts & SANDBOX_LANDLOCK)) parts |= SANDBOX_SECCOMP;
    return parts;
}
