// What a process needs to work for another one without being trusted, and Swift can't say: starting
// it, passing descriptors, and giving up rights. Linux only.
//
// Functions return -1 with errno set unless they say otherwise.

#ifndef VITRINE_SANDBOX_H
#define VITRINE_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// --- starting -----------------------------------------------------------------------------------

/// Bounds that the kernel holds a child to; 0 leaves one as it is.
typedef struct {
    /// Bytes of memory that is written to and not shared (RLIMIT_DATA).
    uint64_t memory;
    /// Bytes of addresses (RLIMIT_AS).
    uint64_t addresses;
    /// Seconds of processor time in a lifetime (RLIMIT_CPU).
    uint64_t seconds;
} sandbox_limits;

/// The descriptor at which a child finds its end of the channel.
enum { SANDBOX_CHANNEL = 3 };

/// Starts a program with one open descriptor, its standard ones at /dev/null, an environment of its
/// own, and these limits; without core files.
///
/// - Parameters:
///   - arguments: ends in NULL; the first is the name.
///   - channel: stays the caller's; becomes SANDBOX_CHANNEL in the child.
/// - Returns: the child's id; or -1, also where the program could not be executed.
pid_t sandbox_spawn(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments, int channel,
    sandbox_limits limits);

/// Forks a process with one thread.
///
/// - Parameter channel: stays the caller's; becomes SANDBOX_CHANNEL in the child, in place of the
///   caller's own.
/// - Parameter niceness: of the child, see nice(2).
/// - Returns: the child's id, or 0 in the child, which is killed when the caller ends.
pid_t sandbox_fork(int channel, int niceness);

/// Ends a process that was forked, without what a program does at its end.
void sandbox_leave(void) __attribute__((noreturn));

/// Kills a child of the caller's unless it has ended, and forgets it.
///
/// - Parameter signal: what ended it, 0 if it ended by itself.
/// - Returns: -1 if there is no such child.
int sandbox_end(pid_t child, int *_Nonnull signal);

/// Processor time that a process has taken so far, in nanoseconds.
int64_t sandbox_processor_time(pid_t process);

// --- channel ------------------------------------------------------------------------------------

/// A pair of sockets that keep the bounds of messages.
int sandbox_pair(int *_Nonnull one, int *_Nonnull other);

/// Sends one message, with a descriptor unless that is -1. Never raises SIGPIPE.
ssize_t sandbox_send(
    int socket, const void *_Nonnull bytes, size_t count, int descriptor);

/// Receives one message and the descriptor that came with it, or -1 in `descriptor`. A message that
/// is longer than `count` or brings more descriptors is an error (EMSGSIZE).
/// - Returns: its length; 0 where the other end is closed.
ssize_t sandbox_receive(
    int socket, void *_Nonnull bytes, size_t count, int *_Nonnull descriptor);

// --- memory -------------------------------------------------------------------------------------

/// Memory with a descriptor (memfd_create) that nobody makes larger or smaller. Pages that were never
/// written take no room.
int sandbox_memory(size_t size);

// --- giving up rights ---------------------------------------------------------------------------

/// What the kernel took part in; the rest isn't there.
enum {
    SANDBOX_LANDLOCK = 1,
    SANDBOX_SECCOMP = 2,
};

/// What of the above this kernel has, without giving up anything.
int sandbox_offered(void);

/// 1 if the process has one thread (/proc/self/task), not counting a sanitizer's, else 0.
int sandbox_is_alone(void);

/// Other processes of this user no longer read this one's memory, environment or open files.
void sandbox_hide(void);

/// Gives up, for good and for all threads to come: every file but those below `readable` (NULL at the
/// end) for reading, the network, other processes, new programs, more memory than the limits allow.
/// - Returns: a set of the flags above; -1 if other threads run already (EBUSY), or the kernel keeps
///   rights for it.
int sandbox_confine(const char *_Nullable const *_Nonnull readable);

#endif
