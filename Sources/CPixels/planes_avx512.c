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

// Lays sixteen rows side by side: a pair of samples of each, then the next pair of each.
static AVX512 void lay(const int16_t *from, size_t row, __m512i *to) {
    for (size_t x = 0; x < row; x += 32, to += 16) {
        __m512i a[16], b[16];
        for (int r = 0; r < 16; r++) a[r] = _mm512_loadu_si512(from + r * row + x);
        for (int r = 0; r < 16; r += 2) {
            b[r] = _mm512_unpacklo_epi32(a[r], a[r + 1]);
            b[r + 1] = _mm512_unpackhi_epi32(a[r], a[r + 1]);
        }
        // a[4q + i] has pair 4k + i of rows 4q to 4q + 3 in its lane k.
        for (int r = 0; r < 16; r += 4)
            for (int i = 0; i < 2; i++) {
                a[r + 2 * i] = _mm512_unpacklo_epi64(b[r + i], b[r + 2 + i]);
                a[r + 2 * i + 1] = _mm512_unpackhi_epi64(b[r + i], b[r + 2 + i]);
            }
        for (int i = 0; i < 4; i++) {
            __m512i even = _mm512_shuffle_i32x4(a[i], a[4 + i], 0x88);
            __m512i odd = _mm512_shuffle_i32x4(a[i], a[4 + i], 0xdd);
            __m512i evenBelow = _mm512_shuffle_i32x4(a[8 + i], a[12 + i], 0x88);
            __m512i oddBelow = _mm512_shuffle_i32x4(a[8 + i], a[12 + i], 0xdd);
            _mm512_storeu_si512(to + i, _mm512_shuffle_i32x4(even, evenBelow, 0x88));
            _mm512_storeu_si512(to + 4 + i, _mm512_shuffle_i32x4(odd, oddBelow, 0x88));
            _mm512_storeu_si512(to + 8 + i, _mm512_shuffle_i32x4(even, evenBelow, 0xdd));
            _mm512_storeu_si512(to + 12 + i, _mm512_shuffle_i32x4(odd, oddBelow, 0xdd));
        }
    }
}

// Four columns of sixteen rows: the four samples of a row side by side, rows 0 to 3 in the first lane.
static inline AVX512 __m512i four(const __m512i *laid, const pixels_filter *columns, int x) {
    enum { shift = weightBits + sampleBits };
    const __m512i byRow = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const int pairs = columns->pairs;
    const int32_t *w = columns->weights + (size_t)x * pairs;
    const __m512i *in[4];
    __m512i s[4];
    for (int i = 0; i < 4; i++) {
        in[i] = laid + columns->starts[x + i] / 2;
        s[i] = _mm512_set1_epi32(1 << (shift - 1));
    }
    for (int p = 0; p < pairs; p++)
        for (int i = 0; i < 4; i++)
            s[i] = _mm512_dpwssd_epi32(s[i], _mm512_loadu_si512(in[i] + p),
                                       _mm512_set1_epi32(w[i * pairs + p]));
    for (int i = 0; i < 4; i++) s[i] = _mm512_srai_epi32(s[i], shift);
    __m512i all =
        _mm512_packus_epi16(_mm512_packs_epi32(s[0], s[1]), _mm512_packs_epi32(s[2], s[3]));
    return _mm512_shuffle_epi8(all, byRow);
}

// Sixteen columns of sixteen rows.
static inline AVX512 void block(const __m512i *laid, const pixels_filter *columns, int x,
                                uint8_t *const *to) {
    __m512i g[4], t[4];
    for (int i = 0; i < 4; i++) g[i] = four(laid, columns, x + 4 * i);
    t[0] = _mm512_unpacklo_epi32(g[0], g[1]), t[1] = _mm512_unpackhi_epi32(g[0], g[1]);
    t[2] = _mm512_unpacklo_epi32(g[2], g[3]), t[3] = _mm512_unpackhi_epi32(g[2], g[3]);
    g[0] = _mm512_unpacklo_epi64(t[0], t[2]), g[1] = _mm512_unpackhi_epi64(t[0], t[2]);
    g[2] = _mm512_unpacklo_epi64(t[1], t[3]), g[3] = _mm512_unpackhi_epi64(t[1], t[3]);
    for (int i = 0; i < 4; i++) {
        _mm_storeu_si128((void *)(to[i] + x), _mm512_castsi512_si128(g[i]));
        _mm_storeu_si128((void *)(to[4 + i] + x), _mm512_extracti32x4_epi32(g[i], 1));
        _mm_storeu_si128((void *)(to[8 + i] + x), _mm512_extracti32x4_epi32(g[i], 2));
        _mm_storeu_si128((void *)(to[12 + i] + x), _mm512_extracti32x4_epi32(g[i], 3));
    }
}

// The last block overlaps the one before.
static AVX512 void horizontal(const int16_t *from, size_t row, int32_t *room,
                              const pixels_filter *columns, uint8_t *const *to) {
    int width = columns->count;
    if (width < 16) {
        for (int r = 0; r < 16; r += 2)
            planes_portable_kernels.horizontal(from + r * row, row, room, columns, to + r);
        return;
    }
    lay(from, row, (__m512i *)room);
    for (int x = 0; x < width; x += 16)
        block((const __m512i *)room, columns, x + 16 <= width ? x : width - 16, to);
}

const planes_kernels planes_avx512_kernels = {16, 1, 1, vertical, horizontal};
#endif
