#include "planes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vnni")))

// Sixty-four samples of one row from its four sums, whose order within lanes packing undoes.
static inline AVX512 void store(const __m512i *s, int16_t *to) {
    enum { shift = weightBits - sampleBits };
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i a = _mm512_packs_epi32(_mm512_srai_epi32(s[0], shift), _mm512_srai_epi32(s[1], shift));
    __m512i b = _mm512_packs_epi32(_mm512_srai_epi32(s[2], shift), _mm512_srai_epi32(s[3], shift));
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(a, front, b));
    _mm512_storeu_si512(to + 32, _mm512_permutex2var_epi64(a, back, b));
}

// Sixty-four samples of two rows. A pair of input rows is unpacked once for both.
static inline AVX512 void weigh(const uint8_t *rows, size_t stride, int last, const int32_t *weights,
                                int pairs, int16_t *to0, int16_t *to1) {
    const __m512i zero = _mm512_setzero_si512();
    __m512i s[8];
    for (int i = 0; i < 8; i++) s[i] = _mm512_set1_epi32(1 << (weightBits - sampleBits - 1));
    for (int p = 0; p < pairs; p++, rows += 2 * stride, weights += 2) {
        __m512i a = _mm512_loadu_si512(rows);
        __m512i b = _mm512_loadu_si512(2 * p < last ? rows + stride : rows);
        __m512i low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpackhi_epi8(a, b);
        __m512i v[4] = {_mm512_unpacklo_epi8(low, zero), _mm512_unpackhi_epi8(low, zero),
                        _mm512_unpacklo_epi8(high, zero), _mm512_unpackhi_epi8(high, zero)};
        __m512i w0 = _mm512_set1_epi32(weights[0]), w1 = _mm512_set1_epi32(weights[1]);
        for (int i = 0; i < 4; i++) {
            s[i] = _mm512_dpwssd_epi32(s[i], v[i], w0);
            s[4 + i] = _mm512_dpwssd_epi32(s[4 + i], v[i], w1);
        }
    }
    store(s, to0);
    store(s + 4, to1);
}

// The last block overlaps the one before, so that nothing is read behind a row.
static AVX512 void vertical(const uint8_t *rows, size_t stride, int last, const int32_t *weights,
                            int pairs, int samples, int16_t *const to[2]) {
    if (samples < 64) {
        planes_avx2_kernels.vertical(rows, stride, last, weights, pairs, samples, to);
        return;
    }
    for (int x = 0; x < samples; x += 64) {
        int at = x + 64 <= samples ? x : samples - 64;
        weigh(rows + at, stride, last, weights, pairs, to[0] + at, to[1] + at);
    }
}

static inline AVX512 __m256i both(const int16_t *a, const int16_t *b) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const void *)a)),
        _mm_loadu_si128((const void *)b), 1);
}

// Four sums of two rows, one in each lane. Sixteen taps at a time, then eight.
static inline AVX512 __m256i four(const int16_t *a, const int16_t *b, const int32_t *starts,
                                  const int32_t *weights, int pairs) {
    __m512i s[4];
    __m256i t[4];
    for (int i = 0; i < 4; i++, weights += pairs) {
        const int16_t *ina = a + starts[i], *inb = b + starts[i];
        __m512i sum = _mm512_setzero_si512();
        int p = 0;
        for (; p + 8 <= pairs; p += 8) {
            __m512i v = _mm512_inserti64x4(
                _mm512_castsi256_si512(_mm256_loadu_si256((const void *)(ina + 2 * p))),
                _mm256_loadu_si256((const void *)(inb + 2 * p)), 1);
            __m512i w =
                _mm512_broadcast_i64x4(_mm256_loadu_si256((const void *)(weights + p)));
            sum = _mm512_dpwssd_epi32(sum, v, w);
        }
        s[i] = sum;
        t[i] = _mm256_setzero_si256();
        if (p < pairs) {
            __m256i w = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(weights + p)));
            t[i] = _mm256_dpwssd_epi32(t[i], both(ina + 2 * p, inb + 2 * p), w);
        }
    }
    // Lanes are the first and the second eight taps of either row.
    for (int i = 0; i < 4; i++) {
        __m256i one = _mm512_castsi512_si256(s[i]), two = _mm512_extracti64x4_epi64(s[i], 1);
        t[i] = _mm256_add_epi32(
            t[i], _mm256_add_epi32(_mm256_permute2x128_si256(one, two, 0x20),
                                   _mm256_permute2x128_si256(one, two, 0x31)));
    }
    return _mm256_hadd_epi32(_mm256_hadd_epi32(t[0], t[1]), _mm256_hadd_epi32(t[2], t[3]));
}

static AVX512 void horizontal(const int16_t *const from[2], const int32_t *starts,
                              const int32_t *weights, int pairs, int width, uint8_t *const to[2]) {
    enum { shift = weightBits + sampleBits };
    // Eight taps need no wider vectors.
    if (width < 8 || pairs < 8) {
        planes_avx2_kernels.horizontal(from, starts, weights, pairs, width, to);
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

const planes_kernels planes_avx512_kernels = {vertical, horizontal};
#endif
