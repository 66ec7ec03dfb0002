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

// Four sums of two rows, one in each lane.
static inline AVX2 __m256i four(const int16_t *a, const int16_t *b, const int32_t *starts,
                                const int32_t *weights, int pairs) {
    __m256i s[4];
    for (int i = 0; i < 4; i++, weights += pairs) {
        const int16_t *ina = a + starts[i], *inb = b + starts[i];
        __m256i sum = _mm256_setzero_si256();
        for (int p = 0; p < pairs; p += 4) {
            __m256i v = _mm256_inserti128_si256(
                _mm256_castsi128_si256(_mm_loadu_si128((const void *)(ina + 2 * p))),
                _mm_loadu_si128((const void *)(inb + 2 * p)), 1);
            __m256i w = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(weights + p)));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(v, w));
        }
        s[i] = sum;
    }
    return _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));
}

static AVX2 void horizontal(const int16_t *const from[2], const int32_t *starts,
                            const int32_t *weights, int pairs, int width, uint8_t *const to[2]) {
    enum { shift = weightBits + sampleBits };
    if (width < 8) {
        planes_sse2_kernels.horizontal(from, starts, weights, pairs, width, to);
        return;
    }
    const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
    for (int x = 0; x < width; x += 8) {
        int at = x + 8 <= width ? x : width - 8;
        const int32_t *w = weights + (size_t)at * pairs;
        __m256i one = four(from[0], from[1], starts + at, w, pairs);
        __m256i two = four(from[0], from[1], starts + at + 4, w + 4 * pairs, pairs);
        one = _mm256_srai_epi32(_mm256_add_epi32(one, half), shift);
        two = _mm256_srai_epi32(_mm256_add_epi32(two, half), shift);
        __m256i all = _mm256_packs_epi32(one, two);
        all = _mm256_packus_epi16(all, all);
        _mm_storel_epi64((void *)(to[0] + at), _mm256_castsi256_si128(all));
        _mm_storel_epi64((void *)(to[1] + at), _mm256_extracti128_si256(all, 1));
    }
}

const planes_kernels planes_avx2_kernels = {vertical, horizontal};
#endif
