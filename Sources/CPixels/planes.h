// Between the resampler of planes and its kernels.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "filter.h"
#include "pixels.h"

enum { planesMostRows = 16 };

// All give the same bytes: sums are 32-bit integers, in any order. kernels.h makes those for vectors.
typedef struct {
    // Rows that `horizontal` makes at a time: even, at most `planesMostRows`.
    int rows;
    // Weighs 8-bit rows into two rows of Q6 at once. `weights` are `pairs` times two, for either row; a
    // pair holds one weight in each half. Rows behind `last` are read as that row.
    void (*vertical)(const uint8_t *rows, size_t stride, int last, const int32_t *weights, int pairs,
                     int samples, int16_t *const to[2]);
    // `rows` rows of Q6 to 8 bit, each `row` samples behind the one before; `row` is a multiple of 32.
    // Columns start at even samples. Up to `pairs` taps behind the end of a row are read, with a weight of 0. `room` has as many bytes as
    // `from`.
    void (*horizontal)(const int16_t *from, size_t row, int32_t *room, const pixels_filter *columns,
                       uint8_t *const *to);
} planes_kernels;

// Returns the `pixels_path` that tests compare, or the best one.
int planes_forced_path(void);

extern const planes_kernels planes_portable_kernels;
#if defined(__x86_64__)
extern const planes_kernels planes_sse2_kernels;
extern const planes_kernels planes_avx2_kernels;
extern const planes_kernels planes_avx512_kernels;
#elif defined(__aarch64__)
extern const planes_kernels planes_neon_kernels;
#endif
