// Shows the thread sanitizer a continuation that was resumed before its task waited for it.
//
// The runtime tells the sanitizer about a resumption, and about a task that runs again. A task that
// needn't wait continues in swift_continuation_await without telling it, so everything that the
// other thread did before is reported as a race. This function replaces the runtime's, as in
// SwiftMutex.c. If the other thread resumes between this call and the runtime's check, only
// Suppressions.c helps.
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

// Continues with the task's code and does not return.
__attribute__((disable_sanitizer_instrumentation))
ASYNC void vitrine_continuation_await(void *continuation) {
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return await(continuation);
}

#endif
