// The parts of confining a process.

#ifndef VITRINE_SANDBOX_PARTS_H
#define VITRINE_SANDBOX_PARTS_H

#include <stdbool.h>

// These sanitizers reserve terabytes, beyond any limit, and have threads of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

bool sandbox_has_landlock(void);

/// Confines the calling thread and those it starts: no files except reading those below `readable`
/// (NULL at the end), no network, no signals to other processes.
bool sandbox_landlock(const char *const *readable);

bool sandbox_has_filter(void);

/// Limits every thread of the process to the system calls that rendering needs.
///
/// - Parameter files: whether files may be opened for reading; pass false without Landlock, which says
///   which.
bool sandbox_filter(bool files);

#endif
