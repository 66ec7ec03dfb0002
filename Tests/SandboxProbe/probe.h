// What a program that a picture has taken over would try.

#ifndef VITRINE_SANDBOX_PROBE_H
#define VITRINE_SANDBOX_PROBE_H

#include <stddef.h>

/// What the attempts are made on.
typedef struct {
    /// A file that this user may read and write, in a directory of the same kind.
    const char *_Nonnull file;
    /// The process that serves.
    int parent;
    /// Bytes of memory that this process may have.
    size_t memory;
} probe_target;

/// Tries everything on the calling thread, without harm where it succeeds, and writes the names of what could be done, separated by
/// spaces.
void probe_attempt(probe_target target, char *_Nonnull names, size_t room);

/// The same on a thread that is started for it; writes "no thread" if there is none.
void probe_attempt_on_thread(probe_target target, char *_Nonnull names, size_t room);

/// Whether the calling thread is the process' first.
int probe_is_first_thread(void);

/// Starts a thread that does nothing.
void probe_start_thread(void);

/// Waits until it is killed.
void probe_wait(void);

#endif
