// What confining is put together of.

#ifndef VITRINE_SANDBOX_PARTS_H
#define VITRINE_SANDBOX_PARTS_H

#include <stdbool.h>

// These sanitizers reserve terabytes, which no limit allows, and have threads of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

bool sandbox_has_landlock(void);

/// Binds the calling thread and those it starts: no file but those below `readable` (NULL at the
/// end), for reading; no network; no signals to processes outside.
bool sandbox_landlock(const char *const *readable);

bool sandbox_has_filter(void);

/// Binds every thread of the process to the system calls that rendering needs.
///
/// - Parameter files: whether files may be opened for reading; false where Landlock doesn't say which.
bool sandbox_filter(bool files);

#endif
