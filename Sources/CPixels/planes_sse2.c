#include "planes.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#include <string.h>

static inline __m128i load(const void *p) { return _mm_loadu_si128(p); }

// Sixteen samples of two rows. A pair of input rows is unpacked once for both.
static inline void weigh(const uint8_t *rows, size_t stride, int last, const int32_t *weights,
                         int pairs, int16_t *to0, int16_t *to1) {
    enum { shift = weightBits - sampleBits };
    const __m128i zero = _mm_setzero_si128();
    __m128i s[8];
    for (int i = 0; i < 8; i++) s[i] = _mm_set1_epi32(1 << (shift - 1));
    for (int p = 0; p < pairs; p++, rows += 2 * stride, weights += 2) {
        __m128i a = load(rows), b = load(2 * p < last ? rows + stride : rows);
        __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
        __m128i v[4] = {_mm_unpacklo_epi8(low, zero), _mm_unpackhi_epi8(low, zero),
                        _mm_unpacklo_epi8(high, zero), _mm_unpackhi_epi8(high, zero)};
        __m128i w0 = _mm_set1_epi32(weights[0]), w1 = _mm_set1_epi32(weights[1]);
        for (int i = 0; i < 4; i++) {
            s[i] = _mm_add_epi32(s[i], _mm_madd_epi16(v[i], w0));
            s[4 + i] = _mm_add_epi32(s[4 + i], _mm_madd_epi16(v[i], w1));
        }
    }
    for (int i = 0; i < 8; i++) s[i] = _mm_srai_epi32(s[i], shift);
    _mm_storeu_si128((void *)to0, _mm_packs_epi32(s[0], s[1]));
    _mm_storeu_si128((void *)(to0 + 8), _mm_packs_epi32(s[2], s[3]));
    _mm_storeu_si128((void *)to1, _mm_packs_epi32(s[4], s[5]));
    _mm_storeu_si128((void *)(to1 + 8), _mm_packs_epi32(s[6], s[7]));
}

// The last block overlaps the one before, so that nothing is read behind a row.
static void vertical(const uint8_t *rows, size_t stride, int last, const int32_t *weights, int pairs,
                     int samples, int16_t *const to[2]) {
    if (samples < 16) {
        planes_portable_kernels.vertical(rows, stride, last, weights, pairs, samples, to);
        return;
    }
    for (int x = 0; x < samples; x += 16) {
        int at = x + 16 <= samples ? x : samples - 16;
        weigh(rows + at, stride, last, weights, pairs, to[0] + at, to[1] + at);
    }
}

// Four sums of one row.
static inline __m128i four(const int16_t *from, const int32_t *starts, const int32_t *weights,
                           int pairs) {
    __m128i s[4];
    for (int i = 0; i < 4; i++, weights += pairs) {
        const int16_t *in = from + starts[i];
        __m128i sum = _mm_setzero_si128();
        for (int p = 0; p < pairs; p += 4)
            sum = _mm_add_epi32(sum, _mm_madd_epi16(load(in + 2 * p), load(weights + p)));
        s[i] = sum;
    }
    __m128i a = _mm_add_epi32(_mm_unpacklo_epi32(s[0], s[1]), _mm_unpackhi_epi32(s[0], s[1]));
    __m128i b = _mm_add_epi32(_mm_unpacklo_epi32(s[2], s[3]), _mm_unpackhi_epi32(s[2], s[3]));
    return _mm_add_epi32(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b));
}

static void horizontal(const int16_t *from, size_t row, int32_t *room, const pixels_filter *columns,
                       uint8_t *const *to) {
    enum { shift = weightBits + sampleBits };
    int width = columns->count, pairs = columns->pairs;
    if (width < 4) {
        planes_portable_kernels.horizontal(from, row, room, columns, to);
        return;
    }
    const __m128i half = _mm_set1_epi32(1 << (shift - 1));
    for (int r = 0; r < 2; r++, from += row)
        for (int x = 0; x < width; x += 4) {
            int at = x + 4 <= width ? x : width - 4;
            __m128i sum =
                four(from, columns->starts + at, columns->weights + (size_t)at * pairs, pairs);
            sum = _mm_srai_epi32(_mm_add_epi32(sum, half), shift);
            sum = _mm_packs_epi32(sum, sum);
            uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
            memcpy(to[r] + at, &bytes, 4);
        }
}

const planes_kernels planes_sse2_kernels = {2, 4, 0, vertical, horizontal};
#endif
