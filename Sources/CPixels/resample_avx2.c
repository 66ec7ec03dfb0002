#include "resample.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))

static inline AVX2 __m128i load16(const void *p) { return _mm_loadu_si128(p); }
static inline AVX2 __m256i load32(const void *p) { return _mm256_loadu_si256(p); }

// Eight sums from each, rounded and shifted, to sixteen samples in order.
static inline AVX2 __m256i pack(__m256i a, __m256i b, int shift) {
    __m256i packed = _mm256_packs_epi32(_mm256_srai_epi32(a, shift), _mm256_srai_epi32(b, shift));
    return _mm256_permute4x64_epi64(packed, 0xD8);
}

// Sixteen samples from byte or sample `x` on.
static inline AVX2 __m256i weigh8(const uint8_t *const *rows, const int32_t *weights, int pairs,
                                  int x) {
    __m256i s0 = _mm256_set1_epi32(1 << (weightBits - sampleBits - 1)), s1 = s0;
    for (int p = 0; p < pairs; p++) {
        __m128i a = load16(rows[2 * p] + x), b = load16(rows[2 * p + 1] + x);
        __m256i w = _mm256_set1_epi32(weights[p]);
        __m256i lo = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b));
        __m256i hi = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b));
        s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(lo, w));
        s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(hi, w));
    }
    return pack(s0, s1, weightBits - sampleBits);
}

static inline AVX2 __m256i weigh16(const int16_t *const *rows, const int32_t *weights, int pairs,
                                   int x) {
    __m256i s0 = _mm256_set1_epi32(1 << (weightBits - 1)), s1 = s0;
    for (int p = 0; p < pairs; p++) {
        __m256i a = load32(rows[2 * p] + x), b = load32(rows[2 * p + 1] + x);
        __m256i w = _mm256_set1_epi32(weights[p]);
        s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
        s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
    }
    // The halves were interleaved within each lane, which is just what packing undoes.
    return _mm256_packs_epi32(_mm256_srai_epi32(s0, weightBits), _mm256_srai_epi32(s1, weightBits));
}

// The last block overlaps the one before, so that nothing is read behind a row.
#define VERTICAL(name, sample, weigh, fallback)                                                    \
    static AVX2 void name(const sample *const *rows, const int32_t *weights, int pairs,            \
                          int samples, int16_t *to) {                                              \
        if (samples < 16) {                                                                        \
            pixels_portable_kernels.fallback(rows, weights, pairs, samples, to);                   \
            return;                                                                                \
        }                                                                                          \
        for (int x = 0; x < samples; x += 16) {                                                    \
            int at = x + 16 <= samples ? x : samples - 16;                                         \
            _mm256_storeu_si256((void *)(to + at), weigh(rows, weights, pairs, at));               \
        }                                                                                          \
    }

VERTICAL(vertical8, uint8_t, weigh8, vertical8)
VERTICAL(vertical16, int16_t, weigh16, vertical16)

// Sums of one pixel in two rows: each lane holds red, green, blue and alpha of a row. `order` brings
// the samples of two neighboring pixels side by side.
static inline AVX2 __m256i pixel(const int16_t *a, const int16_t *b, int bands, const int32_t *w,
                                 int pairs, __m256i order, __m256i sum) {
    for (int p = 0; p < pairs; p++, a += 2 * bands, b += 2 * bands) {
        __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(load16(a)), load16(b), 1);
        v = _mm256_shuffle_epi8(v, order);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(v, _mm256_set1_epi32(w[p])));
    }
    return sum;
}

static AVX2 void rgb(const int16_t *const from[2], const int32_t *starts, const int32_t *weights,
                     int pairs, int width, uint8_t *const to[2]) {
    enum { shift = weightBits + sampleBits };
    const __m256i order = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, -1, -1, -1, -1));
    const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
    uint8_t *a = to[0], *b = to[1];
    for (int x = 0; x < width; x++, a += 3, b += 3, weights += pairs) {
        size_t at = (size_t)starts[x] * 3;
        __m256i sum = pixel(from[0] + at, from[1] + at, 3, weights, pairs, order, half);
        sum = _mm256_srai_epi32(sum, shift);
        sum = _mm256_packs_epi32(sum, sum);
        sum = _mm256_packus_epi16(sum, sum);
        uint32_t one = (uint32_t)_mm256_extract_epi32(sum, 0);
        uint32_t two = (uint32_t)_mm256_extract_epi32(sum, 4);
        // The fourth byte is the next pixel's first and is written over, except at the end.
        size_t bytes = x + 1 < width ? 4 : 3;
        memcpy(a, &one, bytes);
        memcpy(b, &two, bytes);
    }
}

// Four sums of four pixels each, from sixteen taps at a time.
static inline AVX2 __m128i four(const int16_t *from, const int32_t *starts, const int32_t *weights,
                                int pairs) {
    __m256i sums[4];
    for (int i = 0; i < 4; i++) {
        __m256i sum = _mm256_setzero_si256();
        const int16_t *in = from + starts[i];
        const int32_t *w = weights + (size_t)i * pairs;
        for (int p = 0; p < pairs; p += 8)
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(load32(in + 2 * p), load32(w + p)));
        sums[i] = sum;
    }
    __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]),
                                    _mm256_hadd_epi32(sums[2], sums[3]));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

static AVX2 void gray(const int16_t *const from[2], const int32_t *starts, const int32_t *weights,
                      int pairs, int width, uint8_t *const to[2]) {
    enum { shift = weightBits + sampleBits };
    if (width < 4) {
        pixels_portable_kernels.horizontal8(from, 1, starts, weights, pairs, width, to);
        return;
    }
    const __m128i half = _mm_set1_epi32(1 << (shift - 1));
    for (int r = 0; r < 2; r++)
        for (int x = 0; x < width; x += 4) {
            int at = x + 4 <= width ? x : width - 4;
            __m128i sum = four(from[r], starts + at, weights + (size_t)at * pairs, pairs);
            sum = _mm_srai_epi32(_mm_add_epi32(sum, half), shift);
            sum = _mm_packs_epi32(sum, sum);
            uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
            memcpy(to[r] + at, &bytes, 4);
        }
}

static AVX2 void horizontal8(const int16_t *const from[2], int bands, const int32_t *starts,
                             const int32_t *weights, int pairs, int width, uint8_t *const to[2]) {
    if (bands == 3)
        rgb(from, starts, weights, pairs, width, to);
    else
        gray(from, starts, weights, pairs, width, to);
}

static AVX2 void horizontal16(const int16_t *const from[2], const int32_t *starts,
                              const int32_t *weights, int pairs, int width, int16_t *const to[2]) {
    const __m256i order = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    const __m256i half = _mm256_set1_epi32(1 << (weightBits - 1));
    int16_t *a = to[0], *b = to[1];
    for (int x = 0; x < width; x++, a += 4, b += 4, weights += pairs) {
        size_t at = (size_t)starts[x] * 4;
        __m256i sum = pixel(from[0] + at, from[1] + at, 4, weights, pairs, order, half);
        sum = _mm256_srai_epi32(sum, weightBits);
        sum = _mm256_packs_epi32(sum, sum);
        _mm_storel_epi64((void *)a, _mm256_castsi256_si128(sum));
        _mm_storel_epi64((void *)b, _mm256_extracti128_si256(sum, 1));
    }
}

const pixels_kernels pixels_avx2_kernels = {vertical8, vertical16, horizontal8, horizontal16};
#endif
