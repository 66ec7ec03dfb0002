// Untrusted child processes, as far as Swift can't express them: starting them, passing
// descriptors, and giving up rights. Linux only.
//
// Functions return -1 and set errno on failure unless stated otherwise.

#ifndef VITRINE_SANDBOX_H
#define VITRINE_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// --- starting -----------------------------------------------------------------------------------

/// Limits that the kernel enforces on a child; 0 leaves a limit unchanged.
typedef struct {
    /// Bytes of private writable memory (RLIMIT_DATA).
    uint64_t memory;
    /// Bytes of addresses (RLIMIT_AS).
    uint64_t addresses;
    /// Seconds of processor time in a lifetime (RLIMIT_CPU).
    uint64_t seconds;
} sandbox_limits;

/// The descriptor of a child's end of the channel.
enum { SANDBOX_CHANNEL = 3 };

/// Starts a program with the channel as its only descriptor, standard ones at /dev/null, a fixed
/// environment, these limits, and no core files.
///
/// - Parameters:
///   - arguments: ends in NULL; the first is the name.
///   - channel: stays the caller's; becomes SANDBOX_CHANNEL in the child.
/// - Returns: the child's id; or -1, also if the program can't be executed.
pid_t sandbox_spawn(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments, int channel,
    sandbox_limits limits);

/// Forks this process, which must have one thread.
///
/// - Parameter channel: stays the caller's; becomes SANDBOX_CHANNEL in the child, in place of the
///   caller's own.
/// - Parameters:
///   - niceness: added to that of the process, see nice(2).
///   - statm: gets a descriptor that tells the child's memory (``sandbox_usage``), or -1; only in the caller,
///     which must close it.
/// - Returns: the child's id, or 0 in the child, which is killed when the caller ends.
pid_t sandbox_fork(int channel, int niceness, int *_Nonnull statm);

/// Ends a forked process at once, without the exit handlers of the program.
void sandbox_leave(void) __attribute__((noreturn));

/// Kills a child unless it has ended, and reaps it.
///
/// - Parameters:
///   - signal: what ended it, 0 if it ended by itself.
///   - peak: bytes of memory that it had at most at one time.
///   - time: nanoseconds of processor time that it had.
/// - Returns: -1 if the caller has no such child.
int sandbox_end(
    pid_t child, int *_Nonnull signal, uint64_t *_Nonnull peak, int64_t *_Nonnull time);

/// The memory of a process in bytes.
typedef struct {
    /// All of its pages that are in memory.
    uint64_t resident;
    /// Those among them that belong neither to a file nor to shared memory.
    uint64_t own;
    /// Private writable addresses, touched or not. RLIMIT_DATA counts these.
    uint64_t mapped;
} sandbox_memory_usage;

/// Opens what /proc tells of a process's memory. Returns a descriptor, which the caller must close.
int sandbox_statm(pid_t process);

/// Reads the memory of the process that a descriptor was opened for.
int sandbox_usage(int statm, sandbox_memory_usage *_Nonnull usage);

/// Limits the private memory of a forked child, at most to the limit that it was started with.
/// - Returns: -1 if the caller has no such child, or may not limit it.
int sandbox_limit(pid_t child, uint64_t bytes);

/// Returns the processor time of a process so far, in nanoseconds.
int64_t sandbox_processor_time(pid_t process);

// --- channel ------------------------------------------------------------------------------------

/// Makes a pair of connected sockets that preserve message boundaries.
int sandbox_pair(int *_Nonnull one, int *_Nonnull other);

/// Sends one message, with a descriptor unless it is -1. Never raises SIGPIPE.
ssize_t sandbox_send(
    int socket, const void *_Nonnull bytes, size_t count, int descriptor);

/// Receives one message and its descriptor, or -1 in `descriptor`. A message longer than `count` or
/// with more descriptors is an error (EMSGSIZE).
/// - Returns: its length; 0 if the other end is closed.
ssize_t sandbox_receive(
    int socket, void *_Nonnull bytes, size_t count, int *_Nonnull descriptor);

// --- memory -------------------------------------------------------------------------------------

/// Makes memory with a descriptor (memfd_create), sealed to its size. Pages that were never written
/// take no room.
int sandbox_memory(size_t size);

/// From now on every block of this process's heap is zero when a caller gets it, and is overwritten when it is
/// freed, whichever library asks. Changes nothing under a sanitizer.
/// - Returns: -1 without glibc, whose heap this is made for.
int sandbox_clean_heap(void);

/// Clears the stack of the calling thread below the caller. Call it only on the first thread of a process, which
/// has 8 MiB of addresses for it.
void sandbox_clean_stack(void);

// --- giving up rights ---------------------------------------------------------------------------

/// Kernel features that confine a process.
enum {
    SANDBOX_LANDLOCK = 1,
    SANDBOX_SECCOMP = 2,
};

/// Returns the features of this kernel, without giving up any right.
int sandbox_offered(void);

/// Returns 1 if the process has one thread (/proc/self/task), not counting a sanitizer's, else 0.
int sandbox_is_alone(void);

/// Limits the stacks of threads that this process and its forks start from now on, except those with a size of
/// their own. Returns 0 or an error number.
int sandbox_limit_stacks(size_t bytes);

/// Names this process for `ps` and `top`, in at most 15 bytes. It is executed by the path /proc/self/exe, of which
/// they would show `exe`.
void sandbox_name(const char *_Nonnull name);

/// Hides this process's memory, environment and open files from other processes of the user.
void sandbox_hide(void);

/// Gives up rights, for good and for all later threads: all files except reading those below
/// `readable` (NULL at the end), the network, other processes, new programs, and memory beyond the
/// limits. The process may still reopen its own anonymous memory.
/// - Returns: a set of the flags above; -1 if other threads run already (EBUSY), or if privileges can't be
///   dropped.
int sandbox_confine(const char *_Nullable const *_Nonnull readable);

#endif
