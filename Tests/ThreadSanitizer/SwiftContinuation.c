// Shows the thread sanitizer a continuation that was resumed before its task came to wait for it.
//
// Resuming tells the sanitizer so, and a task that is run again asks it; only one that need not
// wait goes on in swift_continuation_await without a word, and all that the other thread did before
// is taken for a race. This function stands in for the runtime's, as in SwiftMutex.c. Where the
// other thread resumes between here and the runtime's look at it, Suppressions.c is left.
//
// Source: swift_continuation_await in the runtime's Task.cpp.

#if defined(__linux__) && __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#define AWAIT "swift_continuation_await"
#define ASYNC __attribute__((swiftasynccall))

ASYNC void vitrine_continuation_await(void *continuation) __asm__(AWAIT);
__attribute__((swiftcall)) extern void *swift_task_getCurrent(void);

static ASYNC void (*await)(void *continuation);

__attribute__((constructor)) static void find(void) {
    await = (__typeof__(await))dlsym(RTLD_NEXT, AWAIT);
}

// It goes on to the task's code and does not come back.
__attribute__((disable_sanitizer_instrumentation))
ASYNC void vitrine_continuation_await(void *continuation) {
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return await(continuation);
}

#endif
