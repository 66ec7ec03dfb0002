#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// --- Landlock (kernel documentation, userspace-api/landlock) ---------------------------------------

static bool has_landlock(void) {
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

static bool landlock(const char *const *readable) {
    if (!has_landlock()) return false;
    // All rights to files of the first version; later ones only added what the system call filter
    // forbids anyway (truncate, devices, network).
    const uint64_t all = (UINT64_C(1) << 13) - 1;
    struct landlock_ruleset_attr rules = {.handled_access_fs = all};
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (set < 0) return false;
    for (; *readable; readable++) {
        int place = open(*readable, O_PATH | O_CLOEXEC);
        if (place < 0) continue;
        struct landlock_path_beneath_attr rule = {
            .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
            .parent_fd = place,
        };
        syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(place);
    }
    bool done = syscall(SYS_landlock_restrict_self, set, 0) == 0;
    close(set);
    return done;
}

// --- system call filter (seccomp(2)) -----------------------------------------------------------------

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#define NUMBER offsetof(struct seccomp_data, nr)
// The lower half of an argument, on little-endian machines.
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))

#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSAL(error) (SECCOMP_RET_ERRNO | (error))
#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define REFUSE(call, error)                                                                        \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), ANSWER(REFUSAL(error))
// Where it is another call all four instructions are jumped over.
#define ALLOW_IF_SET(call, argument, bits)                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4), LOAD(ARGUMENT(argument)),                     \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), ANSWER(SECCOMP_RET_ALLOW),               \
        ANSWER(REFUSAL(EPERM))
#define ALLOW_IF_EQUAL(call, argument, value)                                                      \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4), LOAD(ARGUMENT(argument)),                     \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), ANSWER(SECCOMP_RET_ALLOW),               \
        ANSWER(REFUSAL(EPERM))

// Reading files is left to Landlock where that is at work, and refused where it isn't.
#define FILES(action)                                                                              \
    action(SYS_openat), action(SYS_newfstatat), action(SYS_statx), action(SYS_faccessat),          \
        action(SYS_faccessat2), action(SYS_readlinkat), action(SYS_getdents64), action(SYS_fstatfs)
#if defined(__x86_64__)
#define OLD_FILES(action)                                                                          \
    action(SYS_open), action(SYS_stat), action(SYS_lstat), action(SYS_access),                     \
        action(SYS_readlink), action(SYS_statfs),
#else
#define OLD_FILES(action)
#endif
#define REFUSE_FILE(call) REFUSE(call, EACCES)

#define BEGINNING                                                                                  \
    LOAD(offsetof(struct seccomp_data, arch)),                                                     \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),                                   \
        ANSWER(SECCOMP_RET_KILL_PROCESS), LOAD(NUMBER)

#if defined(__x86_64__)
#define OLD_CALLS ALLOW(SYS_poll), ALLOW(SYS_arch_prctl), ALLOW(SYS_time), ALLOW(SYS_pipe),
#else
#define OLD_CALLS
#endif

#define CALLS                                                                                      \
    /* memory */                                                                                   \
    ALLOW(SYS_mmap), ALLOW(SYS_munmap), ALLOW(SYS_mremap), ALLOW(SYS_mprotect),                    \
        ALLOW(SYS_madvise), ALLOW(SYS_brk), ALLOW(SYS_memfd_create), ALLOW(SYS_ftruncate), /**/    \
        /* what is open already */                                                                 \
        ALLOW(SYS_read), ALLOW(SYS_write), ALLOW(SYS_readv), ALLOW(SYS_writev),                    \
        ALLOW(SYS_pread64), ALLOW(SYS_pwrite64), ALLOW(SYS_lseek), ALLOW(SYS_fstat),               \
        ALLOW(SYS_close), ALLOW(SYS_fcntl), ALLOW(SYS_dup), ALLOW(SYS_sendmsg),                    \
        ALLOW(SYS_recvmsg), ALLOW(SYS_ppoll), ALLOW(SYS_pipe2), ALLOW(SYS_eventfd2), /**/          \
        /* threads */                                                                              \
        ALLOW(SYS_futex), ALLOW(SYS_set_robust_list), ALLOW(SYS_rseq), ALLOW(SYS_gettid),          \
        ALLOW(SYS_sched_yield), ALLOW(SYS_sched_getaffinity), ALLOW(SYS_membarrier),               \
        ALLOW(SYS_exit), ALLOW(SYS_exit_group), ALLOW(SYS_set_tid_address), /**/                   \
        /* signals */                                                                              \
        ALLOW(SYS_rt_sigaction), ALLOW(SYS_rt_sigprocmask), ALLOW(SYS_rt_sigreturn),               \
        ALLOW(SYS_sigaltstack), ALLOW(SYS_restart_syscall), /**/                                   \
        /* time, and what tells nothing */                                                         \
        ALLOW(SYS_clock_gettime), ALLOW(SYS_clock_getres), ALLOW(SYS_clock_nanosleep),             \
        ALLOW(SYS_nanosleep), ALLOW(SYS_gettimeofday), ALLOW(SYS_getrandom), ALLOW(SYS_getpid),    \
        ALLOW(SYS_getppid), ALLOW(SYS_getuid), ALLOW(SYS_geteuid), ALLOW(SYS_getgid),              \
        ALLOW(SYS_getegid), ALLOW(SYS_uname), ALLOW(SYS_sysinfo), ALLOW(SYS_getrusage),            \
        ALLOW(SYS_getcpu), /**/                                                                    \
        /* new threads, but no new processes; glibc goes back from clone3 to clone */              \
        REFUSE(SYS_clone3, ENOSYS), ALLOW_IF_SET(SYS_clone, 0, CLONE_THREAD),        \
        ALLOW_IF_EQUAL(SYS_prctl, 0, PR_SET_NAME)

static bool has_filter(void) {
    const uint32_t refusal = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &refusal) == 0;
}

static bool filter(bool files) {
    struct sock_filter with_files[] = {
        BEGINNING, CALLS, OLD_CALLS FILES(ALLOW), OLD_FILES(ALLOW) ANSWER(REFUSAL(EPERM)),
    };
    struct sock_filter without_files[] = {
        BEGINNING, CALLS, OLD_CALLS FILES(REFUSE_FILE), OLD_FILES(REFUSE_FILE)
        ANSWER(REFUSAL(EPERM)),
    };
    struct sock_fprog program = {
        .len = (unsigned short)((files ? sizeof with_files : sizeof without_files)
                                / sizeof(struct sock_filter)),
        .filter = files ? with_files : without_files,
    };
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

static bool has_filter(void) { return false; }

static bool filter(bool files) {
    (void)files;
    return false;
}

#endif

int sandbox_offered(void) {
    return (has_landlock() ? SANDBOX_LANDLOCK : 0) | (has_filter() ? SANDBOX_SECCOMP : 0);
}

int sandbox_confine(const char *const *readable) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    int parts = 0;
    if (landlock(readable)) parts |= SANDBOX_LANDLOCK;
    if (filter(parts & SANDBOX_LANDLOCK)) parts |= SANDBOX_SECCOMP;
    return parts;
}
