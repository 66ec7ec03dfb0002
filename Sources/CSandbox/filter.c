#define _GNU_SOURCE
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// System call filter (seccomp(2)): an allow-list of numbers, and of arguments where a call can do
// more than rendering needs. Everything else fails with EPERM.

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

enum { ROOM = 512 };

// A program under construction. Each rule expects the number of the call in the accumulator, and is
// skipped for other calls.
struct rules {
    struct sock_filter code[ROOM];
    unsigned short count;
};

static void put(struct rules *rules, struct sock_filter instruction) {
    if (rules->count < ROOM) rules->code[rules->count] = instruction;
    // The kernel refuses a program that is too long.
    rules->count++;
}

static void load(struct rules *rules, size_t place) {
    put(rules, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)place));
}

static void answer(struct rules *rules, uint32_t action) {
    put(rules, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static uint32_t refusal(int error) { return SECCOMP_RET_ERRNO | (uint32_t)error; }

// Skips instructions if the accumulator has another value.
static void unless(struct rules *rules, uint32_t value, uint8_t skipped) {
    put(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped));
}

static void always(struct rules *rules, long call, uint32_t action) {
    unless(rules, (uint32_t)call, 1);
    answer(rules, action);
}

static void allow(struct rules *rules, long call) { always(rules, call, SECCOMP_RET_ALLOW); }

// The lower half of an argument, on little-endian machines. The kernel reads flags, commands,
// descriptors and process numbers from it alone.
static size_t lower(int argument) {
    return offsetof(struct seccomp_data, args) + 8 * (size_t)argument;
}

// Allows a call if `argument & mask` is one of the values.
static void allow_values(
    struct rules *rules, long call, int argument, uint32_t mask, const uint32_t *values,
    int count) {
    unless(rules, (uint32_t)call, (uint8_t)(3 + 2 * count));
    load(rules, lower(argument));
    put(rules, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    for (int index = 0; index < count; index++) {
        unless(rules, values[index], 1);
        answer(rules, SECCOMP_RET_ALLOW);
    }
    answer(rules, refusal(EPERM));
}

static void allow_value(
    struct rules *rules, long call, int argument, uint32_t mask, uint32_t value) {
    allow_values(rules, call, argument, mask, &value, 1);
}

// Allows a call if the argument has no other bits than these.
static void allow_bits(struct rules *rules, long call, int argument, uint32_t bits) {
    allow_value(rules, call, argument, ~bits, 0);
}

// --- memory

static void allow_memory(struct rules *rules) {
    // No new code. Only private memory counts against RLIMIT_DATA, so that no new shared memory,
    // stacks or locked pages are allowed.
    unless(rules, SYS_mmap, 9);
    load(rules, lower(2));
    put(rules, (struct sock_filter)BPF_JUMP(
                   BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)(PROT_READ | PROT_WRITE), 6, 0));
    load(rules, lower(3));
    put(rules, (struct sock_filter)BPF_JUMP(
                   BPF_JMP | BPF_JSET | BPF_K,
                   MAP_GROWSDOWN | MAP_LOCKED | MAP_HUGETLB, 4, 0));
    put(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 2));
    put(rules, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xF /* MAP_TYPE */));
    unless(rules, MAP_PRIVATE, 1);
    answer(rules, SECCOMP_RET_ALLOW);
    answer(rules, refusal(EPERM));
    allow_bits(rules, SYS_mprotect, 2, PROT_READ | PROT_WRITE);
    allow(rules, SYS_munmap);
    allow(rules, SYS_mremap);
    allow(rules, SYS_madvise);
    allow(rules, SYS_brk);
}

// --- files

static const uint32_t reading =
    O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_LARGEFILE | O_NOATIME
    // O_LARGEFILE as the kernel has it: glibc's is 0 where off_t is 64 bit.
#if defined(__x86_64__)
    | 0100000
#else
    | 0400000
#endif
    ;

static void allow_files(struct rules *rules) {
    allow_bits(rules, SYS_openat, 2, reading);
    allow(rules, SYS_newfstatat);
    allow(rules, SYS_statx);
    allow(rules, SYS_faccessat);
    allow(rules, SYS_faccessat2);
    allow(rules, SYS_readlinkat);
    allow(rules, SYS_getdents64);
    allow(rules, SYS_fstatfs);
#if defined(__x86_64__)
    allow_bits(rules, SYS_open, 1, reading);
    allow(rules, SYS_stat);
    allow(rules, SYS_lstat);
    allow(rules, SYS_access);
    allow(rules, SYS_readlink);
    allow(rules, SYS_statfs);
#else
    allow(rules, SYS_statfs);
#endif
}

// As if no file could be read.
static void refuse_files(struct rules *rules) {
    const long calls[] = {
        SYS_openat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
#if defined(__x86_64__)
        SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink,
#endif
        SYS_statfs,
    };
    for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        always(rules, calls[index], refusal(EACCES));
    }
}

static void allow_open_files(struct rules *rules) {
    // Messages are sent by write, which can't pass descriptors.
    const long calls[] = {
        SYS_read, SYS_write, SYS_writev, SYS_readv, SYS_pread64, SYS_lseek, SYS_fstat,
        SYS_close, SYS_recvmsg, SYS_ppoll,
#if defined(__x86_64__)
        SYS_poll,
#endif
    };
    for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        allow(rules, calls[index]);
    }
    // No signals to other processes (F_SETOWN, F_SETSIG, O_ASYNC), leases, notifications or seals.
    const uint32_t commands[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC};
    allow_values(rules, SYS_fcntl, 1, ~UINT32_C(0), commands, 4);
}

// --- threads, signals, time

static void allow_threads(struct rules *rules) {
    // The flags of pthread_create. A filter can't see clone3's arguments; without it glibc uses
    // clone.
    const uint32_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
        | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    always(rules, SYS_clone3, refusal(ENOSYS));
    // musl has CLONE_DETACHED, which does nothing.
    allow_value(rules, SYS_clone, 0, ~(uint32_t)CLONE_DETACHED, thread);
    const long calls[] = {
        SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_gettid, SYS_sched_yield,
        SYS_sched_getaffinity, SYS_membarrier, SYS_exit, SYS_exit_group, SYS_set_tid_address,
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
        SYS_restart_syscall, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
        SYS_nanosleep, SYS_gettimeofday, SYS_getrandom, SYS_getpid, SYS_getppid, SYS_getuid,
        SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_getcpu,
        SYS_getrlimit,
#if defined(__x86_64__)
        SYS_time,
#endif
    };
    for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        allow(rules, calls[index]);
    }
    allow_value(rules, SYS_prctl, 0, ~UINT32_C(0), PR_SET_NAME);
    // abort() sends a signal to its own process.
    allow_value(rules, SYS_tgkill, 0, ~UINT32_C(0), (uint32_t)getpid());
    // Limits may be read only: the pointer to new ones, in two halves, must be NULL.
    unless(rules, SYS_prlimit64, 6);
    load(rules, lower(2));
    put(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
    load(rules, lower(2) + 4);
    unless(rules, 0, 1);
    answer(rules, SECCOMP_RET_ALLOW);
    answer(rules, refusal(EPERM));
}

bool sandbox_has_filter(void) {
    const uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool sandbox_filter(bool files) {
    struct rules rules = {.count = 0};
    load(&rules, offsetof(struct seccomp_data, arch));
    unless(&rules, ARCHITECTURE, 1);
    put(&rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
    answer(&rules, SECCOMP_RET_KILL_PROCESS);
    load(&rules, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    // The x32 ABI has this architecture and numbers of its own.
    put(&rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    answer(&rules, SECCOMP_RET_KILL_PROCESS);
#endif
    allow_open_files(&rules);
    allow_memory(&rules);
    allow_threads(&rules);
    if (files) {
        allow_files(&rules);
    } else {
        refuse_files(&rules);
    }
    answer(&rules, refusal(EPERM));
    struct sock_fprog program = {.len = rules.count, .filter = rules.code};
    return rules.count <= ROOM
        && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

bool sandbox_has_filter(void) { return false; }

bool sandbox_filter(bool files) {
    (void)files;
    return false;
}

#endif
