// Between the resampler of planes and its kernels.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "resample.h"

// All give the same bytes: sums are 32-bit integers, in any order.
typedef struct {
    // Weighs 8-bit rows into two rows of Q6 at once. `weights` are `pairs` times two, for either row; a
    // pair holds one weight in each half. Rows behind `last` are read as that row.
    void (*vertical)(const uint8_t *rows, size_t stride, int last, const int32_t *weights, int pairs,
                     int samples, int16_t *const to[2]);
    // Two rows of Q6 to 8 bit. `pairs` is a multiple of 4; up to that many taps behind the end of a
    // row are read, with a weight of 0.
    void (*horizontal)(const int16_t *const from[2], const int32_t *starts, const int32_t *weights,
                       int pairs, int width, uint8_t *const to[2]);
} planes_kernels;

extern const planes_kernels planes_portable_kernels;
#if defined(__x86_64__)
extern const planes_kernels planes_sse2_kernels;
extern const planes_kernels planes_avx2_kernels;
extern const planes_kernels planes_avx512_kernels;
#endif

enum { planesAcrossStep = 4 };
