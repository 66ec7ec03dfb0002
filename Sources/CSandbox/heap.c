#define _GNU_SOURCE
#include "parts.h"
#include "sandbox.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Memory that shows nothing of what it held before.

#if defined(__GLIBC__) && !SANITIZED

#include <malloc.h>

// The functions below take the place of the C library's in every library of the process, also in those that are
// opened later. The heap stays that of the C library, so that blocks from before may be freed here.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static atomic_bool cleans;

static bool is_cleaning(void) { return atomic_load_explicit(&cleans, memory_order_relaxed); }

// Larger blocks come fresh from the kernel and go back to it. Decoders ask for more than they touch, and what is
// cleaned is touched; smaller blocks cost less to clean than to map.
enum { MAPPED_FROM = 4 << 20 };

// Up to this size glibc's threads keep freed blocks of their own, which calloc doesn't use.
enum { KEPT_BY_THREADS = 1032 };

// Whether the kernel gave the block alone: the second bit of the word before it.
static bool is_mapped(const void *block) { return ((const size_t *)block)[-1] & 2; }

// Overwrites all bytes that the owner of a block may use.
static void *cleaned(void *block) {
    if (block && !is_mapped(block)) memset(block, 0, malloc_usable_size(block));
    return block;
}

// Lets the kernel give a large block in pages of 2 MB, where it has them: a thousandth of the faults, and a third of
// the time. Without them nothing changes.
static void *in_large_pages(void *block, size_t size) {
#ifdef MADV_HUGEPAGE
    if (block && size >= MAPPED_FROM && is_mapped(block)) {
        int error = errno;
        // The heap's word before the block is in the first page.
        uintptr_t at = (uintptr_t)block, start = at & -(uintptr_t)getpagesize();
        (void)madvise((void *)start, at + size - start, MADV_HUGEPAGE);
        errno = error;
    }
#endif
    return block;
}

static void *clean_block(size_t size) {
    return size > KEPT_BY_THREADS ? in_large_pages(__libc_calloc(1, size), size)
                                  : cleaned(__libc_malloc(size));
}

static void *resized(void *block, size_t size) {
    size_t room = malloc_usable_size(block);
    // The kernel adds clean pages.
    if (is_mapped(block) && size >= MAPPED_FROM) return __libc_realloc(block, size);
    if (size && size <= room) {
        // The heap takes back what is cut off.
        if (!is_mapped(block)) memset((char *)block + size, 0, room - size);
        return __libc_realloc(block, size);
    }
    void *larger = size ? clean_block(size) : NULL;
    if (size && !larger) return NULL;
    if (larger) memcpy(larger, block, room);
    free(block);
    return larger;
}

void *malloc(size_t size) { return is_cleaning() ? clean_block(size) : __libc_malloc(size); }

void free(void *block) {
    if (is_cleaning()) cleaned(block);
    __libc_free(block);
}

void *calloc(size_t count, size_t size) {
    void *block = __libc_calloc(count, size);
    return is_cleaning() ? in_large_pages(block, block ? count * size : 0) : block;
}

void *realloc(void *block, size_t size) {
    if (!is_cleaning()) return __libc_realloc(block, size);
    return block ? resized(block, size) : clean_block(size);
}

void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes)) return realloc(block, bytes);
    errno = ENOMEM;
    return NULL;
}

void *memalign(size_t alignment, size_t size) {
    void *block = __libc_memalign(alignment, size);
    return is_cleaning() ? in_large_pages(cleaned(block), size) : block;
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    int error = errno;
    void *made = memalign(alignment, size);
    errno = error;
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}

int sandbox_clean_heap(void) {
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    atomic_store_explicit(&cleans, true, memory_order_relaxed);
    return 0;
}

#else

int sandbox_clean_heap(void) {
#if SANITIZED
    // A sanitizer has a heap of its own, which renders the pictures of tests only.
    return 0;
#else
    errno = ENOTSUP;
    return -1;
#endif
}

#endif

// --- stack

#if SANITIZED

void sandbox_clean_stack(void) {}

#else

// What rendering mostly uses of the stack is overwritten; the rest is given back to the kernel, which takes
// time for each page that is used again. Both start at the caller's frame, and meet.
enum { OVERWRITTEN = 192 << 10, GIVEN_BACK = 8 << 20 };

__attribute__((noinline)) static void overwrite(void) {
    char room[OVERWRITTEN];
    memset(room, 0, sizeof room);
    // Keeps the compiler from leaving out what nothing reads.
    __asm__ volatile("" : : "r"(room) : "memory");
}

__attribute__((noinline)) static void give_back(void) {
    char here;
    // Pages have 64 KiB at most. The frames of the call itself are far above.
    uintptr_t end = ((uintptr_t)&here - (112 << 10)) & ~(uintptr_t)0xFFFF;
    // Fails for addresses that the stack never reached, after all others.
    (void)madvise((void *)(end - GIVEN_BACK), GIVEN_BACK, MADV_DONTNEED);
}

void sandbox_clean_stack(void) {
    give_back();
    overwrite();
}

#endif
