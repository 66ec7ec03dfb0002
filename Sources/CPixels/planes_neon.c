#include "planes.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

// Sixteen samples of two rows. A pair of input rows is widened once for both.
static inline void weigh(const uint8_t *rows, size_t stride, int last, const int32_t *weights,
                         int pairs, int16_t *const to[2], int at) {
    enum { shift = weightBits - sampleBits };
    int32x4_t s[2][4];
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 4; i++) s[r][i] = vdupq_n_s32(0);
    rows += at;
    for (int p = 0; p < pairs; p++, rows += 2 * stride, weights += 2) {
        uint8x16_t a = vld1q_u8(rows), b = vld1q_u8(2 * p < last ? rows + stride : rows);
        int16x8_t va[2] = {vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(a))),
                           vreinterpretq_s16_u16(vmovl_high_u8(a))};
        int16x8_t vb[2] = {vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(b))),
                           vreinterpretq_s16_u16(vmovl_high_u8(b))};
        // Both weights of the first row, then both of the second.
        int16x4_t w = vreinterpret_s16_s32(vld1_s32(weights));
        for (int i = 0; i < 2; i++) {
            int32x4_t *first = s[0] + 2 * i, *second = s[1] + 2 * i;
            first[0] = vmlal_lane_s16(first[0], vget_low_s16(va[i]), w, 0);
            first[0] = vmlal_lane_s16(first[0], vget_low_s16(vb[i]), w, 1);
            first[1] = vmlal_high_lane_s16(first[1], va[i], w, 0);
            first[1] = vmlal_high_lane_s16(first[1], vb[i], w, 1);
            second[0] = vmlal_lane_s16(second[0], vget_low_s16(va[i]), w, 2);
            second[0] = vmlal_lane_s16(second[0], vget_low_s16(vb[i]), w, 3);
            second[1] = vmlal_high_lane_s16(second[1], va[i], w, 2);
            second[1] = vmlal_high_lane_s16(second[1], vb[i], w, 3);
        }
    }
    // Rounds, shifts and limits in one.
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 2; i++)
            vst1q_s16(to[r] + at + 8 * i,
                      vqrshrn_high_n_s32(vqrshrn_n_s32(s[r][2 * i], shift), s[r][2 * i + 1], shift));
}

// The last block overlaps the one before, so that nothing is read behind a row.
static void vertical(const uint8_t *rows, size_t stride, int last, const int32_t *weights, int pairs,
                     int samples, int16_t *const to[2]) {
    if (samples < 16) {
        planes_portable_kernels.vertical(rows, stride, last, weights, pairs, samples, to);
        return;
    }
    for (int x = 0; x < samples; x += 16)
        weigh(rows, stride, last, weights, pairs, to, x + 16 <= samples ? x : samples - 16);
}

// Four sums of one row.
static inline int32x4_t four(const int16_t *from, const int32_t *starts, const int32_t *weights,
                             int pairs) {
    int32x4_t s[4];
    for (int i = 0; i < 4; i++, weights += pairs) {
        const int16_t *in = from + starts[i];
        int32x4_t sum = vdupq_n_s32(0);
        for (int p = 0; p < pairs; p += 4) {
            int16x8_t v = vld1q_s16(in + 2 * p);
            int16x8_t w = vreinterpretq_s16_s32(vld1q_s32(weights + p));
            sum = vmlal_s16(sum, vget_low_s16(v), vget_low_s16(w));
            sum = vmlal_high_s16(sum, v, w);
        }
        s[i] = sum;
    }
    return vpaddq_s32(vpaddq_s32(s[0], s[1]), vpaddq_s32(s[2], s[3]));
}

static void horizontal(const int16_t *from, size_t row, int32_t *room, const pixels_filter *columns,
                       uint8_t *const *to) {
    enum { shift = weightBits + sampleBits };
    int width = columns->count, pairs = columns->pairs;
    if (width < 4) {
        planes_portable_kernels.horizontal(from, row, room, columns, to);
        return;
    }
    for (int r = 0; r < 2; r++, from += row)
        for (int x = 0; x < width; x += 4) {
            int at = x + 4 <= width ? x : width - 4;
            int32x4_t sum =
                four(from, columns->starts + at, columns->weights + (size_t)at * pairs, pairs);
            uint16x4_t limited = vqmovun_s32(vrshrq_n_s32(sum, shift));
            uint8x8_t bytes = vqmovn_u16(vcombine_u16(limited, limited));
            memcpy(to[r] + at, &bytes, 4);
        }
}

const planes_kernels planes_neon_kernels = {2, 4, 0, vertical, horizontal};
#endif
