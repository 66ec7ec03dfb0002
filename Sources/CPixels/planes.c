#include "planes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

// --- filters ------------------------------------------------------------------------------------

// Two rows are weighed at a time from the rows that either needs.
typedef struct {
    int start, pairs;
    size_t weights;
} rowPair;

typedef struct {
    int from, to, isDown;
    double scale, offset;
    uint64_t used;
    // Across: as it is. Down: the weights of two rows side by side.
    pixels_filter filter;
    rowPair *rows;
    int32_t *weights;
} plan;

// Pictures of one source are often of one size, and a chain of four levels has sixteen filters.
enum { kept = 32 };

struct pixels_plane_resampler {
    plan plans[kept];
    uint64_t clock;
    int16_t *weighed;
    int32_t *laid;
    uint8_t *spare;
    size_t weighedRoom, laidRoom, spareRoom;
};

static atomic_int path;

void pixels_force_path(pixels_path forced) { atomic_store(&path, (int)forced); }

int planes_forced_path(void) { return atomic_load(&path); }

static const planes_kernels *bestKernels(void) {
#if defined(__x86_64__)
    int forced = atomic_load(&path);
    if (forced == PIXELS_PATH_SSE2) return &planes_sse2_kernels;
    if (forced != PIXELS_PATH_PORTABLE) {
        if (!__builtin_cpu_supports("avx2")) return &planes_sse2_kernels;
        int isWide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512vnni");
        return isWide && forced != PIXELS_PATH_AVX2 ? &planes_avx512_kernels
                                                    : &planes_avx2_kernels;
    }
#elif defined(__aarch64__)
    if (atomic_load(&path) != PIXELS_PATH_PORTABLE) return &planes_neon_kernels;
#endif
    return &planes_portable_kernels;
}

pixels_plane_resampler *pixels_plane_resampler_new(void) {
    return calloc(1, sizeof(pixels_plane_resampler));
}

static void clear(plan *p) {
    pixels_filter_free(&p->filter);
    free(p->rows);
    free(p->weights);
    *p = (plan){0};
}

void pixels_plane_resampler_free(pixels_plane_resampler *r) {
    if (!r) return;
    for (int i = 0; i < kept; i++) clear(&r->plans[i]);
    free(r->weighed);
    free(r->laid);
    free(r->spare);
    free(r);
}

void pixels_plane_resampler_forget(pixels_plane_resampler *r) {
    if (r->weighed) memset(r->weighed, 0, r->weighedRoom);
    if (r->laid) memset(r->laid, 0, r->laidRoom);
    if (r->spare) memset(r->spare, 0, r->spareRoom);
}

static int16_t tap(const pixels_filter *f, int y, int i) {
    const pixels_tap *taps = (const pixels_tap *)(f->weights + (size_t)y * f->pairs);
    return i >= 0 && i < f->pairs * 2 ? taps[i] : 0;
}

static int tapCount(const pixels_filter *f, int y) {
    int count = f->pairs * 2;
    while (count > 1 && tap(f, y, count - 1) == 0) count--;
    return count;
}

// Lays the weights of two rows side by side, from the first row that either needs.
static int layRows(plan *p) {
    const pixels_filter *f = &p->filter;
    int count = (p->to + 1) / 2;
    p->rows = malloc(sizeof(rowPair) * count);
    if (!p->rows) return -1;
    size_t sum = 0;
    for (int k = 0; k < count; k++) {
        int y = 2 * k, next = y + 1 < p->to ? y + 1 : y;
        int a = f->starts[y], b = f->starts[next];
        int enda = a + tapCount(f, y), endb = b + tapCount(f, next);
        int start = a < b ? a : b, end = enda > endb ? enda : endb;
        p->rows[k] = (rowPair){start, (end - start + 1) / 2, sum};
        sum += (size_t)p->rows[k].pairs * 2;
    }
    p->weights = malloc(sizeof(int32_t) * sum);
    if (!p->weights) return -1;
    for (int k = 0; k < count; k++) {
        pixels_tap *to = (pixels_tap *)(p->weights + p->rows[k].weights);
        for (int i = 0; i < p->rows[k].pairs; i++)
            for (int r = 0; r < 2; r++) {
                int y = 2 * k + r < p->to ? 2 * k + r : 2 * k;
                int at = p->rows[k].start - f->starts[y] + 2 * i;
                *to++ = tap(f, y, at);
                *to++ = tap(f, y, at + 1);
            }
    }
    return 0;
}

// Returns the plan of a side, made or kept from before; NULL if memory is short.
static plan *planOf(pixels_plane_resampler *r, int from, pixels_mapping map, int to, int isDown) {
    plan *oldest = &r->plans[0];
    for (int i = 0; i < kept; i++) {
        plan *p = &r->plans[i];
        if (p->used && p->from == from && p->to == to && p->isDown == isDown &&
            p->scale == map.scale && p->offset == map.offset) {
            p->used = ++r->clock;
            return p;
        }
        if (p->used < oldest->used) oldest = p;
    }
    clear(oldest);
    if (pixels_filter_make(&oldest->filter, from, map.scale, map.offset, to, !isDown)) return NULL;
    oldest->from = from, oldest->to = to, oldest->isDown = isDown;
    oldest->scale = map.scale, oldest->offset = map.offset;
    if (isDown && layRows(oldest)) {
        clear(oldest);
        return NULL;
    }
    oldest->used = ++r->clock;
    return oldest;
}

// --- resampling ---------------------------------------------------------------------------------

static void *grown(void *block, size_t *room, size_t needed) {
    if (needed <= *room) return block;
    free(block);
    block = calloc(1, needed);
    *room = block ? needed : 0;
    return block;
}

int pixels_resample_plane(pixels_plane_resampler *r, pixels_plane from, pixels_mapping across,
                          pixels_mapping down, pixels_plane to) {
    int isSame = from.width == to.width && from.height == to.height && across.scale == 1 &&
                 across.offset == 0 && down.scale == 1 && down.offset == 0;
    if (isSame) {
        for (int y = 0; y < to.height; y++)
            memcpy(to.samples + y * to.stride, from.samples + y * from.stride, (size_t)to.width);
        return 0;
    }
    const planes_kernels *kernels = bestKernels();
    const plan *columns = planOf(r, from.width, across, to.width, 0);
    const plan *rows = planOf(r, from.height, down, to.height, 1);
    if (!columns || !rows) return -1;
    // The horizontal kernels read taps of weight 0 behind the end.
    size_t row = ((size_t)from.width + 2 * columns->filter.pairs + 31) / 32 * 32;
    size_t block = kernels->rows * row * sizeof(int16_t);
    r->weighed = grown(r->weighed, &r->weighedRoom, block);
    if (kernels->rows > 2) r->laid = grown(r->laid, &r->laidRoom, block);
    r->spare = grown(r->spare, &r->spareRoom, (size_t)to.width);
    if (!r->weighed || !r->spare || (kernels->rows > 2 && !r->laid)) return -1;
    for (int y = 0; y < to.height; y += kernels->rows) {
        // Rows behind the last one are made of what lies there, and are not kept.
        uint8_t *out[planesMostRows];
        for (int i = 0; i < kernels->rows; i++)
            out[i] = y + i < to.height ? to.samples + (y + i) * to.stride : r->spare;
        for (int i = 0; i < kernels->rows && y + i < to.height; i += 2) {
            rowPair pair = rows->rows[(y + i) / 2];
            int16_t *const weighed[2] = {r->weighed + i * row, r->weighed + (i + 1) * row};
            kernels->vertical(from.samples + pair.start * from.stride, from.stride,
                              from.height - 1 - pair.start, rows->weights + pair.weights, pair.pairs,
                              from.width, weighed);
        }
        kernels->horizontal(r->weighed, row, r->laid, &columns->filter, out);
    }
    return 0;
}
