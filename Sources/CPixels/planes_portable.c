#include "planes.h"

// For machines without the other kernels, and for planes that are too narrow for them. Sums go through a block
// that stays in registers or the nearest cache; the compiler vectorises it.
enum { block = 64 };

static int low(int32_t pair) { return (int16_t)(pair & 0xFFFF); }
static int high(int32_t pair) { return pair >> 16; }

static int16_t clamp16(int v) {
    return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : (int16_t)v;
}

static uint8_t clamp8(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

static void vertical(const uint8_t *rows, size_t stride, int last, const int32_t *weights, int pairs,
                     int samples, int16_t *const to[2]) {
    enum { shift = weightBits - sampleBits };
    for (int r = 0; r < 2; r++)
        for (int x = 0; x < samples; x += block) {
            int count = samples - x < block ? samples - x : block;
            int32_t sums[block];
            for (int i = 0; i < count; i++) sums[i] = 1 << (shift - 1);
            for (int p = 0; p < pairs; p++) {
                const uint8_t *a = rows + (size_t)(2 * p) * stride + x;
                const uint8_t *b = 2 * p < last ? a + stride : a;
                int wa = low(weights[2 * p + r]), wb = high(weights[2 * p + r]);
                for (int i = 0; i < count; i++) sums[i] += a[i] * wa + b[i] * wb;
            }
            for (int i = 0; i < count; i++) to[r][x + i] = clamp16(sums[i] >> shift);
        }
}

static void horizontal(const int16_t *from, size_t row, int32_t *room, const pixels_filter *columns,
                       uint8_t *const *to) {
    enum { shift = weightBits + sampleBits };
    (void)room;
    for (int r = 0; r < 2; r++, from += row) {
        const int32_t *w = columns->weights;
        for (int x = 0; x < columns->count; x++, w += columns->pairs) {
            const int16_t *in = from + columns->starts[x];
            int sum = 1 << (shift - 1);
            for (int p = 0; p < columns->pairs; p++)
                sum += in[2 * p] * low(w[p]) + in[2 * p + 1] * high(w[p]);
            to[r][x] = clamp8(sum >> shift);
        }
    }
}

const planes_kernels planes_portable_kernels = {2, vertical, horizontal};
