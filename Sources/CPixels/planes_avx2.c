#include "planes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))

static inline AVX2 __m256i load32(const void *p) { return _mm256_loadu_si256(p); }

// Thirty-two samples of one row from its four sums, whose order within lanes packing undoes.
static inline AVX2 void store(const __m256i *s, int16_t *to) {
    enum { shift = weightBits - sampleBits };
    __m256i a = _mm256_packs_epi32(_mm256_srai_epi32(s[0], shift), _mm256_srai_epi32(s[1], shift));
    __m256i b = _mm256_packs_epi32(_mm256_srai_epi32(s[2], shift), _mm256_srai_epi32(s[3], shift));
    _mm256_storeu_si256((void *)to, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((void *)(to + 16), _mm256_permute2x128_si256(a, b, 0x31));
}

// Thirty-two samples of two rows. A pair of input rows is unpacked once for both.
static inline AVX2 void weigh(const uint8_t *rows, size_t stride, int last, const int32_t *weights,
                              int pairs, int16_t *to0, int16_t *to1) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i s[8];
    for (int i = 0; i < 8; i++) s[i] = _mm256_set1_epi32(1 << (weightBits - sampleBits - 1));
    for (int p = 0; p < pairs; p++, rows += 2 * stride, weights += 2) {
        __m256i a = load32(rows), b = load32(2 * p < last ? rows + stride : rows);
        __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
        __m256i v[4] = {_mm256_unpacklo_epi8(low, zero), _mm256_unpackhi_epi8(low, zero),
                        _mm256_unpacklo_epi8(high, zero), _mm256_unpackhi_epi8(high, zero)};
        __m256i w0 = _mm256_set1_epi32(weights[0]), w1 = _mm256_set1_epi32(weights[1]);
        for (int i = 0; i < 4; i++) {
            s[i] = _mm256_add_epi32(s[i], _mm256_madd_epi16(v[i], w0));
            s[4 + i] = _mm256_add_epi32(s[4 + i], _mm256_madd_epi16(v[i], w1));
        }
    }
    store(s, to0);
    store(s + 4, to1);
}

// The last block overlaps the one before, so that nothing is read behind a row.
static AVX2 void vertical(const uint8_t *rows, size_t stride, int last, const int32_t *weights,
                          int pairs, int samples, int16_t *const to[2]) {
    if (samples < 32) {
        planes_sse2_kernels.vertical(rows, stride, last, weights, pairs, samples, to);
        return;
    }
    for (int x = 0; x < samples; x += 32) {
        int at = x + 32 <= samples ? x : samples - 32;
        weigh(rows + at, stride, last, weights, pairs, to[0] + at, to[1] + at);
    }
}

// Lays eight rows side by side: a pair of samples of each, then the next pair of each.
static AVX2 void lay(const int16_t *from, size_t row, __m256i *to) {
    for (size_t x = 0; x < row; x += 16, to += 8) {
        __m256i a[8], b[8];
        for (int r = 0; r < 8; r++) a[r] = load32(from + r * row + x);
        for (int r = 0; r < 8; r += 2) {
            b[r] = _mm256_unpacklo_epi32(a[r], a[r + 1]);
            b[r + 1] = _mm256_unpackhi_epi32(a[r], a[r + 1]);
        }
        for (int h = 0; h < 2; h++)
            for (int i = 0; i < 2; i++) {
                a[4 * h + 2 * i] = _mm256_unpacklo_epi64(b[4 * h + i], b[4 * h + 2 + i]);
                a[4 * h + 2 * i + 1] = _mm256_unpackhi_epi64(b[4 * h + i], b[4 * h + 2 + i]);
            }
        for (int i = 0; i < 4; i++) {
            _mm256_storeu_si256(to + i, _mm256_permute2x128_si256(a[i], a[4 + i], 0x20));
            _mm256_storeu_si256(to + 4 + i, _mm256_permute2x128_si256(a[i], a[4 + i], 0x31));
        }
    }
}

// Four columns of eight rows: the four samples of a row side by side, rows 0 to 3 in the lower half.
static inline AVX2 __m256i four(const __m256i *laid, const pixels_filter *columns, int x) {
    enum { shift = weightBits + sampleBits };
    const __m256i byRow = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,  //
                                           0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const int pairs = columns->pairs;
    const int32_t *w = columns->weights + (size_t)x * pairs;
    const __m256i *in[4];
    __m256i s[4];
    for (int i = 0; i < 4; i++) {
        in[i] = laid + columns->starts[x + i] / 2;
        s[i] = _mm256_set1_epi32(1 << (shift - 1));
    }
    for (int p = 0; p < pairs; p++)
        for (int i = 0; i < 4; i++) {
            __m256i weight = _mm256_set1_epi32(w[i * pairs + p]);
            s[i] = _mm256_add_epi32(s[i], _mm256_madd_epi16(load32(in[i] + p), weight));
        }
    for (int i = 0; i < 4; i++) s[i] = _mm256_srai_epi32(s[i], shift);
    __m256i all =
        _mm256_packus_epi16(_mm256_packs_epi32(s[0], s[1]), _mm256_packs_epi32(s[2], s[3]));
    return _mm256_shuffle_epi8(all, byRow);
}

// Sixteen columns of eight rows.
static inline AVX2 void block(const __m256i *laid, const pixels_filter *columns, int x,
                              uint8_t *const *to) {
    __m256i g[4], t[4];
    for (int i = 0; i < 4; i++) g[i] = four(laid, columns, x + 4 * i);
    t[0] = _mm256_unpacklo_epi32(g[0], g[1]), t[1] = _mm256_unpackhi_epi32(g[0], g[1]);
    t[2] = _mm256_unpacklo_epi32(g[2], g[3]), t[3] = _mm256_unpackhi_epi32(g[2], g[3]);
    g[0] = _mm256_unpacklo_epi64(t[0], t[2]), g[1] = _mm256_unpackhi_epi64(t[0], t[2]);
    g[2] = _mm256_unpacklo_epi64(t[1], t[3]), g[3] = _mm256_unpackhi_epi64(t[1], t[3]);
    for (int i = 0; i < 4; i++) {
        _mm_storeu_si128((void *)(to[i] + x), _mm256_castsi256_si128(g[i]));
        _mm_storeu_si128((void *)(to[4 + i] + x), _mm256_extracti128_si256(g[i], 1));
    }
}

// The last block overlaps the one before.
static AVX2 void horizontal(const int16_t *from, size_t row, int32_t *room,
                            const pixels_filter *columns, uint8_t *const *to) {
    int width = columns->count;
    if (width < 16) {
        for (int r = 0; r < 8; r += 2)
            planes_portable_kernels.horizontal(from + r * row, row, room, columns, to + r);
        return;
    }
    lay(from, row, (__m256i *)room);
    for (int x = 0; x < width; x += 16)
        block((const __m256i *)room, columns, x + 16 <= width ? x : width - 16, to);
}

const planes_kernels planes_avx2_kernels = {8, 1, 1, vertical, horizontal};
#endif
