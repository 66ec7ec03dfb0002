// Shows the thread sanitizer what Swift's Mutex does when threads contend for it.
//
// On Linux an uncontended Mutex is an inline compare-and-exchange, which the sanitizer sees. Under
// contention libswiftSynchronization, which is not instrumented, asks the kernel (FUTEX_LOCK_PI).
// The sanitizer then reports everything under the lock as a race. These functions replace the
// library's, because the linker finds the program's own first. They call the library's functions
// and tell the sanitizer about it.
//
// Source: LinuxImpl.swift in the standard library's Synchronization; tsan_interface.h.

#if defined(__linux__) && __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void vitrine_mutex_lock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT bool vitrine_mutex_try_lock(SELF mutex) __asm__(TRY_LOCK);
SWIFT void vitrine_mutex_unlock(SELF mutex) __asm__(UNLOCK);

static SWIFT void (*lock)(uint32_t thread, SELF mutex);
static SWIFT bool (*try_lock)(SELF mutex);
static SWIFT void (*unlock)(SELF mutex);

__attribute__((constructor)) static void find(void) {
    lock = (__typeof__(lock))dlsym(RTLD_NEXT, LOCK);
    try_lock = (__typeof__(try_lock))dlsym(RTLD_NEXT, TRY_LOCK);
    unlock = (__typeof__(unlock))dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void vitrine_mutex_lock(uint32_t thread, SELF mutex) {
    lock(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool vitrine_mutex_try_lock(SELF mutex) {
    const bool locked = try_lock(mutex);
    if (locked)
        __tsan_acquire(mutex);
    return locked;
}

SWIFT void vitrine_mutex_unlock(SELF mutex) {
    __tsan_release(mutex);
    unlock(mutex);
}

#endif
