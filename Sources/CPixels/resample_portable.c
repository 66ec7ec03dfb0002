#include "resample.h"

// Sums go through a block that stays in registers or the nearest cache; the compiler vectorises it.
enum { block = 64 };

static int low(int32_t pair) { return (int16_t)(pair & 0xFFFF); }
static int high(int32_t pair) { return pair >> 16; }

static int16_t clamp16(int v) {
    return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : (int16_t)v;
}

static uint8_t clamp8(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

#define VERTICAL(name, sample, shift)                                                              \
    static void name(const sample *const *rows, const int32_t *weights, int pairs, int samples,    \
                     int16_t *to) {                                                                \
        for (int x = 0; x < samples; x += block) {                                                 \
            int count = samples - x < block ? samples - x : block;                                 \
            int32_t sums[block];                                                                   \
            for (int i = 0; i < count; i++) sums[i] = 1 << ((shift)-1);                            \
            for (int p = 0; p < pairs; p++) {                                                      \
                const sample *a = rows[2 * p] + x, *b = rows[2 * p + 1] + x;                       \
                int wa = low(weights[p]), wb = high(weights[p]);                                   \
                for (int i = 0; i < count; i++) sums[i] += a[i] * wa + b[i] * wb;                  \
            }                                                                                      \
            for (int i = 0; i < count; i++) to[x + i] = clamp16(sums[i] >> (shift));               \
        }                                                                                          \
    }

VERTICAL(vertical8, uint8_t, weightBits - sampleBits)
VERTICAL(vertical16, int16_t, weightBits)

static void horizontal8(const int16_t *const from[2], int bands, const int32_t *starts,
                        const int32_t *weights, int pairs, int width, uint8_t *const to[2]) {
    enum { shift = weightBits + sampleBits };
    for (int r = 0; r < 2; r++) {
        const int32_t *w = weights;
        uint8_t *out = to[r];
        for (int x = 0; x < width; x++, w += pairs) {
            const int16_t *in = from[r] + (size_t)starts[x] * bands;
            for (int b = 0; b < bands; b++) {
                int sum = 1 << (shift - 1);
                for (int p = 0; p < pairs; p++)
                    sum += in[2 * p * bands + b] * low(w[p]) +
                           in[(2 * p + 1) * bands + b] * high(w[p]);
                *out++ = clamp8(sum >> shift);
            }
        }
    }
}

static void horizontal16(const int16_t *const from[2], const int32_t *starts,
                         const int32_t *weights, int pairs, int width, int16_t *const to[2]) {
    for (int r = 0; r < 2; r++) {
        const int32_t *w = weights;
        int16_t *out = to[r];
        for (int x = 0; x < width; x++, w += pairs) {
            const int16_t *in = from[r] + (size_t)starts[x] * 4;
            int sums[4];
            for (int b = 0; b < 4; b++) sums[b] = 1 << (weightBits - 1);
            for (int p = 0; p < pairs; p++)
                for (int b = 0; b < 4; b++)
                    sums[b] += in[8 * p + b] * low(w[p]) + in[8 * p + 4 + b] * high(w[p]);
            for (int b = 0; b < 4; b++) *out++ = clamp16(sums[b] >> weightBits);
        }
    }
}

const pixels_kernels pixels_portable_kernels = {vertical8, vertical16, horizontal8, horizontal16};
