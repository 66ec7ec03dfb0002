// What the filter of system calls of a child decides, without a kernel: the program that the sources make for
// this architecture is checked like the kernel checks it, and run for every number. The numbers of arm64 are
// those of the kernel's include/uapi/asm-generic/unistd.h, written out here.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "claims.h"

static struct sock_filter program[BPF_MAXINSNS];
static int length;

// Takes the program in the kernel's place.
static long take(long number, ...) {
    va_list more;
    va_start(more, number);
    long operation = va_arg(more, int);
    (void)va_arg(more, int);
    const struct sock_fprog *given = va_arg(more, const struct sock_fprog *);
    va_end(more);
    if (number != SYS_seccomp || operation != SECCOMP_SET_MODE_FILTER) return -1;
    length = given->len;
    memcpy(program, given->filter, sizeof *program * given->len);
    return 0;
}

#define syscall take
#include "../../Sources/CSandbox/filter.c"
#undef syscall

// What the kernel refuses in a filter: seccomp_check_filter and bpf_check_classic.
static int is_valid(void) {
    if (length < 1 || length > BPF_MAXINSNS) return 0;
    for (int at = 0; at < length; at++) {
        struct sock_filter one = program[at];
        int left = length - at - 1;
        switch (one.code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (one.k % 4 || one.k >= sizeof(struct seccomp_data)) return 0;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
        case BPF_JMP | BPF_JGE | BPF_K:
        case BPF_JMP | BPF_JSET | BPF_K:
            if (one.jt >= left || one.jf >= left) return 0;
            break;
        case BPF_JMP | BPF_JA:
            if (one.k >= (uint32_t)left) return 0;
            break;
        case BPF_ALU | BPF_AND | BPF_K:
        case BPF_RET | BPF_K: break;
        default: return 0;
        }
    }
    return program[length - 1].code == (BPF_RET | BPF_K);
}

static uint32_t verdict(uint32_t architecture, long number, const uint64_t *arguments) {
    struct seccomp_data data = {.nr = (int)number, .arch = architecture};
    memcpy(data.args, arguments, sizeof data.args);
    uint32_t value = 0;
    for (int at = 0;; at++) {
        struct sock_filter one = program[at];
        int isTrue = 0;
        switch (one.code) {
        case BPF_LD | BPF_W | BPF_ABS: memcpy(&value, (char *)&data + one.k, 4); continue;
        case BPF_ALU | BPF_AND | BPF_K: value &= one.k; continue;
        case BPF_RET | BPF_K: return one.k;
        case BPF_JMP | BPF_JA: at += (int)one.k; continue;
        case BPF_JMP | BPF_JEQ | BPF_K: isTrue = value == one.k; break;
        case BPF_JMP | BPF_JGE | BPF_K: isTrue = value >= one.k; break;
        default: isTrue = (value & one.k) != 0;
        }
        at += isTrue ? one.jt : one.jf;
    }
}

enum { allowed, refused, to_read, by_argument };
#define NO (SECCOMP_RET_ERRNO | EPERM)
#define FILES (SECCOMP_RET_ERRNO | EACCES)

static const struct call {
    const char *name;
    long number, arm64;
    int rule;
} calls[] = {
#define CALL(name, arm64, rule) {#name, SYS_##name, arm64, rule},
    CALL(read, 63, allowed) CALL(write, 64, allowed) CALL(readv, 65, allowed) CALL(writev, 66, allowed)
    CALL(pread64, 67, allowed) CALL(lseek, 62, allowed) CALL(fstat, 80, allowed) CALL(close, 57, allowed)
    CALL(recvmsg, 212, allowed) CALL(ppoll, 73, allowed) CALL(fcntl, 25, by_argument)
    CALL(mmap, 222, by_argument) CALL(mprotect, 226, by_argument) CALL(munmap, 215, allowed)
    CALL(mremap, 216, allowed) CALL(madvise, 233, allowed) CALL(brk, 214, allowed)
    CALL(clone, 220, by_argument) CALL(clone3, 435, by_argument) CALL(futex, 98, allowed)
    CALL(set_robust_list, 99, allowed) CALL(rseq, 293, allowed) CALL(gettid, 178, allowed)
    CALL(sched_yield, 124, allowed) CALL(sched_getaffinity, 123, allowed) CALL(membarrier, 283, allowed)
    CALL(exit, 93, allowed) CALL(exit_group, 94, allowed) CALL(set_tid_address, 96, allowed)
    CALL(rt_sigaction, 134, allowed) CALL(rt_sigprocmask, 135, allowed) CALL(rt_sigreturn, 139, allowed)
    CALL(sigaltstack, 132, allowed) CALL(restart_syscall, 128, allowed) CALL(clock_gettime, 113, allowed)
    CALL(clock_getres, 114, allowed) CALL(clock_nanosleep, 115, allowed) CALL(nanosleep, 101, allowed)
    CALL(gettimeofday, 169, allowed) CALL(getrandom, 278, allowed) CALL(getpid, 172, allowed)
    CALL(getppid, 173, allowed) CALL(getuid, 174, allowed) CALL(geteuid, 175, allowed)
    CALL(getgid, 176, allowed) CALL(getegid, 177, allowed) CALL(uname, 160, allowed) CALL(sysinfo, 179, allowed)
    CALL(getrusage, 165, allowed) CALL(getcpu, 168, allowed) CALL(getrlimit, 163, allowed)
    CALL(prctl, 167, by_argument) CALL(tgkill, 131, by_argument) CALL(prlimit64, 261, by_argument)
    // Files, where Landlock says which.
    CALL(openat, 56, to_read) CALL(newfstatat, 79, to_read) CALL(statx, 291, to_read)
    CALL(faccessat, 48, to_read) CALL(faccessat2, 439, to_read)
    CALL(readlinkat, 78, to_read) CALL(statfs, 43, to_read)
    CALL(getdents64, 61, to_read) CALL(fstatfs, 44, to_read)
    // Refused, besides every number that is not here.
    CALL(socket, 198, refused) CALL(socketpair, 199, refused) CALL(connect, 203, refused)
    CALL(sendto, 206, refused) CALL(sendmsg, 211, refused) CALL(execve, 221, refused)
    CALL(execveat, 281, refused) CALL(kill, 129, refused) CALL(tkill, 130, refused)
    CALL(rt_sigqueueinfo, 138, refused) CALL(pidfd_open, 434, refused) CALL(ptrace, 117, refused)
    CALL(process_vm_readv, 270, refused) CALL(bpf, 280, refused) CALL(io_uring_setup, 425, refused)
    CALL(userfaultfd, 282, refused) CALL(perf_event_open, 241, refused) CALL(keyctl, 219, refused)
    CALL(memfd_create, 279, refused) CALL(openat2, 437, refused) CALL(unlinkat, 35, refused)
    CALL(linkat, 37, refused) CALL(symlinkat, 36, refused) CALL(mkdirat, 34, refused)
    CALL(ftruncate, 46, refused) CALL(fchmod, 52, refused) CALL(ioctl, 29, refused) CALL(mount, 40, refused)
    CALL(umount2, 39, refused) CALL(unshare, 97, refused) CALL(setns, 268, refused) CALL(chroot, 51, refused)
    CALL(personality, 92, refused) CALL(capset, 91, refused) CALL(setuid, 146, refused)
    CALL(seccomp, 277, refused) CALL(landlock_restrict_self, 446, refused) CALL(close_range, 436, refused)
    CALL(dup3, 24, refused) CALL(pipe2, 59, refused) CALL(epoll_create1, 20, refused)
    CALL(eventfd2, 19, refused) CALL(inotify_init1, 26, refused) CALL(timerfd_create, 85, refused)
    CALL(shmget, 194, refused) CALL(msgget, 186, refused) CALL(mq_open, 180, refused)
#if defined(__x86_64__)
#define OLD(name, rule) {#name, SYS_##name, 0, rule},
    OLD(poll, allowed) OLD(time, allowed) OLD(open, to_read) OLD(stat, to_read)
    OLD(lstat, to_read) OLD(access, to_read) OLD(readlink, to_read)
    OLD(fork, refused) OLD(vfork, refused) OLD(dup2, refused) OLD(unlink, refused)
#endif
};
enum { count = sizeof calls / sizeof *calls };

static const struct argument {
    const char *what;
    long number;
    uint64_t values[6];
    uint32_t files, none;
} arguments[] = {
#define THREAD                                                                                         \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | \
     CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
#define BOTH(verdict) verdict, verdict
    {"a thread", SYS_clone, {THREAD}, BOTH(SECCOMP_RET_ALLOW)},
    {"a process", SYS_clone, {17}, BOTH(NO)},
    {"a process by vfork's flags", SYS_clone, {CLONE_VM | CLONE_VFORK | 17}, BOTH(NO)},
    {"a thread in a new namespace", SYS_clone, {THREAD | CLONE_NEWUSER}, BOTH(NO)},
    {"clone3", SYS_clone3, {0}, BOTH(SECCOMP_RET_ERRNO | ENOSYS)},
    {"memory", SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS}, BOTH(SECCOMP_RET_ALLOW)},
    {"memory without swap", SYS_mmap, {0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE},
     BOTH(SECCOMP_RET_ALLOW)},
    {"shared memory of a descriptor", SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED}, BOTH(SECCOMP_RET_ALLOW)},
    {"new shared memory", SYS_mmap, {0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS}, BOTH(NO)},
    {"code", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}, BOTH(NO)},
    {"locked memory", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED}, BOTH(NO)},
    {"huge pages", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB}, BOTH(NO)},
    {"memory that is read only", SYS_mprotect, {0, 4096, PROT_READ}, BOTH(SECCOMP_RET_ALLOW)},
    {"memory that becomes code", SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC}, BOTH(NO)},
    {"a descriptor's flags", SYS_fcntl, {3, F_GETFL}, BOTH(SECCOMP_RET_ALLOW)},
    {"another descriptor", SYS_fcntl, {3, F_DUPFD_CLOEXEC}, BOTH(SECCOMP_RET_ALLOW)},
    {"signals to an owner", SYS_fcntl, {3, F_SETOWN}, BOTH(NO)},
    {"other flags", SYS_fcntl, {3, F_SETFL, O_ASYNC}, BOTH(NO)},
    {"a thread's name", SYS_prctl, {PR_SET_NAME}, BOTH(SECCOMP_RET_ALLOW)},
    {"a dumpable process", SYS_prctl, {PR_SET_DUMPABLE, 1}, BOTH(NO)},
    {"a signal to another process", SYS_tgkill, {1, 1, 9}, BOTH(NO)},
    {"limits", SYS_prlimit64, {0, 7, 0, 0x1000}, BOTH(SECCOMP_RET_ALLOW)},
    {"new limits", SYS_prlimit64, {0, 7, 0x1000, 0}, BOTH(NO)},
    {"new limits high in memory", SYS_prlimit64, {0, 7, UINT64_C(1) << 32, 0}, BOTH(NO)},
    {"a file", SYS_openat, {0, 0, O_RDONLY | O_CLOEXEC}, SECCOMP_RET_ALLOW, FILES},
    {"a directory", SYS_openat, {0, 0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK}, SECCOMP_RET_ALLOW, FILES},
#if defined(__aarch64__)
    // The kernel's numbers of arm64: uapi/asm/fcntl.h.
    {"a large file", SYS_openat, {0, 0, 0400000}, SECCOMP_RET_ALLOW, FILES},
    {"a directory by its number", SYS_openat, {0, 0, 040000}, SECCOMP_RET_ALLOW, FILES},
    {"no link, by its number", SYS_openat, {0, 0, 0100000}, SECCOMP_RET_ALLOW, FILES},
    {"a file past the page cache", SYS_openat, {0, 0, 0200000}, NO, FILES},
    {"a file without a name", SYS_openat, {0, 0, 020040000}, NO, FILES},
#else
    {"a large file", SYS_openat, {0, 0, 0100000}, SECCOMP_RET_ALLOW, FILES},
    {"a file past the page cache", SYS_openat, {0, 0, 040000}, NO, FILES},
    {"a file without a name", SYS_openat, {0, 0, 020200000}, NO, FILES},
#endif
    {"a file to write", SYS_openat, {0, 0, O_WRONLY}, NO, FILES},
    {"a file to read and write", SYS_openat, {0, 0, O_RDWR}, NO, FILES},
    {"a new file", SYS_openat, {0, 0, O_CREAT}, NO, FILES},
    {"an empty file", SYS_openat, {0, 0, O_TRUNC}, NO, FILES},
    {"a path only", SYS_openat, {0, 0, O_PATH}, NO, FILES},
};

static char said[200];
static const char *of(const char *name, const char *text) {
    snprintf(said, sizeof said, "%s: %s", name, text);
    return said;
}

static const struct call *known(long number) {
    for (int i = 0; i < count; i++)
        if (calls[i].number == number) return &calls[i];
    return NULL;
}

static void check(int files) {
    claim("the filter is made", sandbox_filter(files));
    claim("the kernel's checks accept the filter", is_valid());
    static const uint64_t zeros[6], ones[6] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
                                               ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    // Numbers end below 1,000; what a later kernel adds is refused as well.
    for (long number = 0; number < 4096; number++) {
        const struct call *call = known(number);
        char name[32];
        snprintf(name, sizeof name, "number %ld", number);
        uint32_t seen[2] = {verdict(ARCHITECTURE, number, zeros), verdict(ARCHITECTURE, number, ones)};
        if (!call || call->rule == refused)
            claim(of(call ? call->name : name, "is refused"), seen[0] == NO && seen[1] == NO);
        else if (call->rule == allowed)
            claim(of(call->name, "is allowed"), seen[0] == SECCOMP_RET_ALLOW && seen[1] == SECCOMP_RET_ALLOW);
        else if (call->rule == to_read && files)
            claim(of(call->name, "is allowed with files"), seen[0] == SECCOMP_RET_ALLOW);
        else if (call->rule == to_read)
            claim(of(call->name, "is refused without files"), seen[0] == FILES || seen[0] == NO);
        else claim(of(call->name, "depends on its arguments"), seen[1] != SECCOMP_RET_ALLOW);
    }
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        const struct argument *one = arguments + i;
        uint32_t want = files ? one->files : one->none;
        claim(of(one->what, files ? "with files" : "without files"),
              verdict(ARCHITECTURE, one->number, one->values) == want);
    }
    const uint64_t own[6] = {(uint64_t)getpid(), 1, 6};
    claim("abort may end its own process", verdict(ARCHITECTURE, SYS_tgkill, own) == SECCOMP_RET_ALLOW);
    const uint32_t others[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_AARCH64};
    for (int i = 0; i < 4; i++)
        for (int number = 0; number < 500 && others[i] != ARCHITECTURE; number++)
            claim("calls of another architecture end the process",
                  verdict(others[i], number, zeros) == SECCOMP_RET_KILL_PROCESS);
}

int main(void) {
#if defined(__aarch64__)
    for (int i = 0; i < count; i++)
        claim(of(calls[i].name, "has the number of arm64"), calls[i].number == calls[i].arm64);
    claim("the filter is for arm64", ARCHITECTURE == 0xC00000B7u);
#endif
    check(1);
    check(0);
    return claims_end();
}
