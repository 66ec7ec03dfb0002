#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// No attempt does harm where it succeeds, as without a sandbox, by root: what would change something
// outside of the process and the given file is asked for with an argument that the call itself
// refuses, and has succeeded if the refusal is not the sandbox's.

struct attempts {
    probe_target target;
    char *names;
    size_t room;
};

static void note(struct attempts *attempts, const char *name, int isDone) {
    if (!isDone) return;
    size_t used = strlen(attempts->names);
    snprintf(attempts->names + used, attempts->room - used, "%s%s", used ? " " : "", name);
}

static int permitted(long result) { return result >= 0 || errno != EPERM; }

static int opened(const char *path, int flags) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static int opened_of(int process, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    return opened(path, O_RDONLY);
}

static void try_files(struct attempts *attempts) {
    const char *file = attempts->target.file;
    char beside[4096];
    snprintf(beside, sizeof beside, "%s.new", file);
    note(attempts, "read", opened(file, O_RDONLY));
    note(attempts, "read-system", opened("/etc/passwd", O_RDONLY));
    note(attempts, "write", opened(file, O_WRONLY));
    note(attempts, "append", opened(file, O_RDWR | O_APPEND));
    note(attempts, "empty-by-reading", opened(file, O_RDONLY | O_TRUNC));
    note(attempts, "empty-by-mode-3", opened(file, O_ACCMODE | O_TRUNC));
    note(attempts, "mode-3", opened(file, O_ACCMODE));
    note(attempts, "path", opened(file, O_PATH));
    note(attempts, "create", opened(beside, O_WRONLY | O_CREAT));
    note(attempts, "create-nameless", opened("/tmp", O_RDWR | O_TMPFILE));
    note(attempts, "truncate", truncate(file, 0) == 0);
    note(attempts, "list", opened("/", O_RDONLY | O_DIRECTORY));
    note(attempts, "rename", rename(file, beside) == 0 && rename(beside, file) == 0);
    note(attempts, "link", link(file, beside) == 0);
    note(attempts, "symlink", symlink(file, beside) == 0);
    note(attempts, "directory", mkdir(beside, 0700) == 0);
    note(attempts, "fifo", mknod(beside, S_IFIFO | 0600, 0) == 0);
    note(attempts, "mode", chmod(file, 0777) == 0);
    note(attempts, "owner", chown(file, getuid(), getgid()) == 0);
    note(attempts, "times", utimensat(AT_FDCWD, file, NULL, 0) == 0);
    note(attempts, "remove", unlink(beside) == 0);
    note(attempts, "root", permitted(chroot("/nonexistent")));
    note(attempts, "cwd", chdir("/") == 0);
    note(attempts, "own-environment", opened("/proc/self/environ", O_RDONLY));
    note(attempts, "own-memory", opened("/proc/self/mem", O_RDWR));
    note(attempts, "environment", opened_of(attempts->target.parent, "environ"));
    note(attempts, "memory", opened_of(attempts->target.parent, "mem"));
    note(attempts, "maps", opened_of(attempts->target.parent, "maps"));
    note(attempts, "status", opened_of(attempts->target.parent, "status"));
}

static void try_processes(struct attempts *attempts) {
    int parent = attempts->target.parent;
    note(attempts, "signal", kill(parent, 0) == 0);
    note(attempts, "signal-thread", syscall(SYS_tgkill, parent, parent, 0) == 0);
    note(attempts, "signal-any-thread", syscall(SYS_tkill, parent, 0) == 0);
    siginfo_t info = {.si_code = SI_QUEUE};
    note(attempts, "signal-queue", syscall(SYS_rt_sigqueueinfo, parent, SIGURG, &info) == 0);
    note(attempts, "pidfd", syscall(SYS_pidfd_open, parent, 0) >= 0);
    // Signals by descriptors: the kernel sends them for the file's owner.
    note(attempts, "owner-of-signals", fcntl(3, F_SETOWN, parent) == 0);
    note(attempts, "which-signal", fcntl(3, F_SETSIG, SIGURG) == 0);
    int flags = fcntl(3, F_GETFL);
    if (flags >= 0 && fcntl(3, F_SETFL, flags | O_ASYNC) == 0) {
        note(attempts, "asynchronous", 1);
        fcntl(3, F_SETFL, flags);
    }
    int on = 1;
    note(attempts, "asynchronous-by-ioctl", ioctl(3, FIOASYNC, &on) == 0);
    note(attempts, "owner-by-ioctl", ioctl(3, FIOSETOWN, &parent) == 0);
    note(attempts, "trace", permitted(ptrace(PTRACE_ATTACH, INT32_MAX, 0, 0)));
    struct iovec here = {NULL, 0}, there = {NULL, 0};
    note(attempts, "read-memory", process_vm_readv(parent, &here, 1, &there, 1, 0) >= 0);
    note(attempts, "write-memory", process_vm_writev(parent, &here, 1, &there, 1, 0) >= 0);
    note(attempts, "priority", permitted(setpriority(PRIO_PROCESS, INT32_MAX, 19)));
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    note(attempts, "limit-of-parent", permitted(prlimit(parent, 99, &limit, NULL)));
    note(attempts, "limit", prlimit(0, RLIMIT_CORE, &limit, NULL) == 0);
    note(attempts, "dumpable", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
    note(attempts, "parent-death", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0);
}

static int left(long process) {
    if (process == 0) _exit(0);
    if (process > 0) waitpid((pid_t)process, NULL, 0);
    return process > 0;
}

static void try_programs(struct attempts *attempts) {
    note(attempts, "fork", left(fork()));
    note(attempts, "clone", left(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
    note(attempts, "clone-files", left(syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)));
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    note(attempts, "clone3", left(syscall(SYS_clone3, &arguments, sizeof arguments)));
    note(attempts, "namespace", unshare(CLONE_FILES) == 0);
    note(attempts, "user-namespace", unshare(CLONE_NEWUSER) == 0);
    // Succeeds by not coming back: the answer is missing then.
    char *const words[] = {"true", NULL};
    execve("/bin/true", words, NULL);
    execveat(AT_FDCWD, "/bin/true", words, NULL, 0);
}

static void try_network(struct attempts *attempts) {
    int pair[2];
    note(attempts, "socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    note(attempts, "datagram", socket(AF_INET6, SOCK_DGRAM, 0) >= 0);
    note(attempts, "local-socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    note(attempts, "netlink", socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
    note(attempts, "pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int error = connect(3, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    note(attempts, "connect", error != EPERM);
    int file = 3;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec part = {"", 1};
    struct msghdr message = {&(struct sockaddr_un){0}, 0, &part, 1, &control, sizeof control, 0};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &file, sizeof file);
    note(attempts, "send-descriptor", sendmsg(3, &message, MSG_DONTWAIT) >= 0);
}

static int mapped(size_t count, int protection, int flags) {
    void *memory = mmap(NULL, count, protection, flags, -1, 0);
    if (memory == MAP_FAILED) return 0;
    munmap(memory, count);
    return 1;
}

static void try_memory(struct attempts *attempts) {
    const size_t page = 1 << 16;
    const int both = PROT_READ | PROT_WRITE;
    note(attempts, "file-in-memory", syscall(SYS_memfd_create, "probe", 0) >= 0);
    note(attempts, "shared-memory", mapped(page, both, MAP_SHARED | MAP_ANONYMOUS));
    note(attempts, "stack", mapped(page, both, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN));
    note(attempts, "code", mapped(page, both | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS));
    void *memory = mmap(NULL, page, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        note(attempts, "code-later", mprotect(memory, page, PROT_READ | PROT_EXEC) == 0);
        munmap(memory, page);
    }
    int pipes[2];
    note(attempts, "pipe", pipe2(pipes, 0) == 0);
    note(attempts, "growing", ftruncate(3, 1) == 0);
    if (attempts->target.memory == 0) return;
    // In pieces, as one that is too large is refused by any limit.
    enum { PIECE = 16 << 20, MOST = 1024 };
    void *pieces[MOST];
    size_t count = 0;
    while (count < MOST) {
        void *piece = mmap(NULL, PIECE, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) break;
        pieces[count++] = piece;
    }
    note(attempts, "beyond-the-limit", count * PIECE > attempts->target.memory);
    while (count > 0) munmap(pieces[--count], PIECE);
}

static void try_kernel(struct attempts *attempts) {
    char room[256] = {0};
    note(attempts, "bpf", syscall(SYS_bpf, 0, room, sizeof room) >= 0);
    note(attempts, "io-uring", syscall(SYS_io_uring_setup, 1, room) >= 0);
    note(attempts, "userfaultfd", syscall(SYS_userfaultfd, 1) >= 0);
    note(attempts, "keys", syscall(SYS_keyctl, 0, -3, 1) >= 0);
    note(attempts, "personality", syscall(SYS_personality, 0xFFFFFFFF) >= 0);
    note(attempts, "shared-segment", permitted(syscall(SYS_shmget, 0, 0, 01600)));
    note(attempts, "queue", permitted(syscall(SYS_msgget, 0x7654321, 0600)));
    note(attempts, "timer", syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0) >= 0);
    note(attempts, "watch", syscall(SYS_inotify_init1, 0) >= 0);
    note(attempts, "host-name", permitted(sethostname("x", (size_t)-1)));
    note(attempts, "mount", permitted(syscall(SYS_umount2, "/nonexistent", 0)));
    note(attempts, "perf", permitted(syscall(SYS_perf_event_open, room, 0, -1, -1, 0)));
}

void probe_attempt(probe_target target, char *names, size_t room) {
    struct attempts attempts = {target, names, room};
    *names = 0;
    try_files(&attempts);
    try_processes(&attempts);
    try_network(&attempts);
    try_memory(&attempts);
    try_kernel(&attempts);
    try_programs(&attempts);
}

static void *attempt(void *argument) {
    struct attempts *attempts = argument;
    probe_attempt(attempts->target, attempts->names, attempts->room);
    return NULL;
}

void probe_attempt_on_thread(probe_target target, char *names, size_t room) {
    struct attempts attempts = {target, names, room};
    pthread_t thread;
    if (pthread_create(&thread, NULL, attempt, &attempts) == 0) {
        pthread_join(thread, NULL);
    } else {
        snprintf(names, room, "no-thread");
    }
}

int probe_is_first_thread(void) { return gettid() == getpid(); }

static void *wait_for_end(void *nothing) {
    (void)nothing;
    probe_wait();
    return NULL;
}

void probe_start_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_end, NULL) == 0) pthread_detach(thread);
}

void probe_wait(void) {
    while (1) ppoll(NULL, 0, NULL, NULL);
}
