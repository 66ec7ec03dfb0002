// The kernels of planes for one kind of vectors. A file for each kind includes this, and defines
//   TARGET    the attribute of functions that may use its instructions
//   LANES     how many times 16 bytes a vector has: 1, 2 or 4
//   OP(name)  its intrinsic, and `native` the type of the vectors that it takes; without these for NEON
//   NARROWER  the kernels of planes with fewer samples than a vector has bytes
//   KERNELS   the name of the result
#include <string.h>

#include "planes.h"

#define INLINE static inline __attribute__((always_inline)) TARGET

enum { vectorBytes = 16 * LANES, rowsAtOnce = 4 * LANES, columnsAtOnce = 16 };

typedef uint8_t v8 __attribute__((vector_size(vectorBytes)));
typedef int16_t v16 __attribute__((vector_size(vectorBytes)));
typedef int32_t v32 __attribute__((vector_size(vectorBytes)));
typedef int64_t v64 __attribute__((vector_size(vectorBytes)));

// --- shuffles ------------------------------------------------------------------------------------

#if LANES == 1
#define EACH(PICK) PICK(0)
#elif LANES == 2
#define EACH(PICK) PICK(0), PICK(1)
#else
#define EACH(PICK) PICK(0), PICK(1), PICK(2), PICK(3)
#endif
// `PICK(lane)` has the elements of a lane of the result.
#define MIX(a, b, PICK) __builtin_shufflevector(a, b, EACH(PICK))
// The element `at` of both vectors, whose lanes have `count`.
#define BOTH(at, count) (at), (at) + (count) * LANES
#define FOUR8(at) BOTH(at, 16), BOTH((at) + 1, 16), BOTH((at) + 2, 16), BOTH((at) + 3, 16)
// The elements of the lower or the upper half of a lane, one of each vector in turn.
#define LOW8(lane) FOUR8(16 * (lane)), FOUR8(16 * (lane) + 4)
#define HIGH8(lane) FOUR8(16 * (lane) + 8), FOUR8(16 * (lane) + 12)
#define LOW32(lane) BOTH(4 * (lane), 4), BOTH(4 * (lane) + 1, 4)
#define HIGH32(lane) BOTH(4 * (lane) + 2, 4), BOTH(4 * (lane) + 3, 4)
#define LOW64(lane) BOTH(2 * (lane), 2)
#define HIGH64(lane) BOTH(2 * (lane) + 1, 2)
// The bytes of the lower and the upper half of a lane of one vector in turn.
#define HALF2(at) (at), (at) + 8, (at) + 1, (at) + 9
#define HALVES(lane) \
    HALF2(16 * (lane)), HALF2(16 * (lane) + 2), HALF2(16 * (lane) + 4), HALF2(16 * (lane) + 6)
// Whole lanes: those of both vectors in turn, the front half of the sequence and the back half.
#define TURN(at) (at) / 2 * 2 + (at) % 2 * 2 * LANES, (at) / 2 * 2 + (at) % 2 * 2 * LANES + 1
#define FRONT(lane) TURN(lane)
#define BACK(lane) TURN(LANES + (lane))
// Whole lanes: every other one of the first vector, then of the second.
#define EVEN(lane) 4 * (lane), 4 * (lane) + 1
#define ODD(lane) 4 * (lane) + 2, 4 * (lane) + 3

// Swaps rows and columns of four by four numbers in each lane.
INLINE void turn(v32 *a) {
    v64 low0 = (v64)MIX(a[0], a[1], LOW32), high0 = (v64)MIX(a[0], a[1], HIGH32);
    v64 low1 = (v64)MIX(a[2], a[3], LOW32), high1 = (v64)MIX(a[2], a[3], HIGH32);
    a[0] = (v32)MIX(low0, low1, LOW64), a[1] = (v32)MIX(low0, low1, HIGH64);
    a[2] = (v32)MIX(high0, high1, LOW64), a[3] = (v32)MIX(high0, high1, HIGH64);
}

// --- arithmetic that no plain C becomes the right instructions of ---------------------------------

#ifdef OP
typedef v32 sums;
INLINE sums start(int32_t value) { return (v32){0} + value; }
INLINE v32 total(sums s) { return s; }
// Adds the products of both samples of each pair.
INLINE sums add(sums s, v16 pairs, v16 weights) {
#if LANES == 4
    return (v32)OP(dpwssd_epi32)((native)s, (native)pairs, (native)weights);
#else
    return s + (v32)OP(madd_epi16)((native)pairs, (native)weights);
#endif
}
INLINE v16 limited16(v32 a, v32 b) { return (v16)OP(packs_epi32)((native)a, (native)b); }
INLINE v8 limited8(v16 a, v16 b) { return (v8)OP(packus_epi16)((native)a, (native)b); }
#else
// The products of both samples of a pair are added at the end.
typedef struct {
    v32 low, high;
} sums;
INLINE sums start(int32_t value) { return (sums){{value, 0, value, 0}, {value, 0, value, 0}}; }
INLINE v32 total(sums s) { return vpaddq_s32(s.low, s.high); }
INLINE sums add(sums s, v16 pairs, v16 weights) {
    // Otherwise clang sees that all weights are equal, and moves the upper halves of pairs down first.
    __asm__("" : "+w"(weights));
    return (sums){vmlal_s16(s.low, vget_low_s16(pairs), vget_low_s16(weights)),
                  vmlal_high_s16(s.high, pairs, weights)};
}
INLINE v16 limited16(v32 a, v32 b) { return vqmovn_high_s32(vqmovn_s32(a), b); }
INLINE v8 limited8(v16 a, v16 b) { return vqmovun_high_s16(vqmovun_s16(a), b); }
#endif

INLINE v16 everywhere(int32_t pair) { return (v16)((v32){0} + pair); }

INLINE v8 load(const void *from) {
    v8 loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

// --- down ----------------------------------------------------------------------------------------

// As many samples of two rows as a vector has bytes. A pair of input rows is unpacked once for both.
INLINE void weigh(const uint8_t *rows, size_t stride, int last, const int32_t *weights, int pairs,
                  int16_t *const to[2], int at) {
    enum { shift = weightBits - sampleBits };
    const v8 zero = {0};
    sums s[8];
    for (int i = 0; i < 8; i++) s[i] = start(1 << (shift - 1));
    rows += at;
    for (int p = 0; p < pairs; p++, rows += 2 * stride, weights += 2) {
        v8 a = load(rows), b = load(2 * p < last ? rows + stride : rows);
        v8 low = MIX(a, b, LOW8), high = MIX(a, b, HIGH8);
        v16 in[4] = {(v16)MIX(low, zero, LOW8), (v16)MIX(low, zero, HIGH8),
                     (v16)MIX(high, zero, LOW8), (v16)MIX(high, zero, HIGH8)};
        v16 first = everywhere(weights[0]), second = everywhere(weights[1]);
        for (int i = 0; i < 4; i++) {
            s[i] = add(s[i], in[i], first);
            s[4 + i] = add(s[4 + i], in[i], second);
        }
    }
    for (int r = 0; r < 2; r++) {
        v32 t[4];
        for (int i = 0; i < 4; i++) t[i] = total(s[4 * r + i]) >> shift;
        v64 a = (v64)limited16(t[0], t[1]), b = (v64)limited16(t[2], t[3]);
        v64 done[2] = {MIX(a, b, FRONT), MIX(a, b, BACK)};
        memcpy(to[r] + at, done, sizeof done);
    }
}

// The last block overlaps the one before, so that nothing is read behind a row.
static TARGET void vertical(const uint8_t *rows, size_t stride, int last, const int32_t *weights,
                            int pairs, int samples, int16_t *const to[2]) {
    if (samples < vectorBytes) {
        NARROWER.vertical(rows, stride, last, weights, pairs, samples, to);
        return;
    }
    for (int x = 0; x < samples; x += vectorBytes) {
        int at = x + vectorBytes <= samples ? x : samples - vectorBytes;
        weigh(rows, stride, last, weights, pairs, to, at);
    }
}

// --- across --------------------------------------------------------------------------------------

// Lays rows side by side: a pair of samples of each, then the next pair of each.
static TARGET void lay(const int16_t *from, size_t row, int32_t *to) {
    for (size_t x = 0; x < row; x += vectorBytes / 2, to += rowsAtOnce * rowsAtOnce) {
        v32 a[rowsAtOnce], b[rowsAtOnce];
        for (int r = 0; r < rowsAtOnce; r++) a[r] = (v32)load(from + r * row + x);
        for (int r = 0; r < rowsAtOnce; r += 4) turn(a + r);
        // The same with whole lanes.
        for (int done = 1; done < LANES; done *= 2) {
            for (int r = 0; r < rowsAtOnce / 2; r++) {
                int at = r / 4 * 8 + r % 4;
                b[r] = (v32)MIX((v64)a[at], (v64)a[at + 4], EVEN);
                b[r + rowsAtOnce / 2] = (v32)MIX((v64)a[at], (v64)a[at + 4], ODD);
            }
            memcpy(a, b, sizeof a);
        }
        memcpy(to, a, sizeof a);
    }
}

// Four columns of all rows: the four samples of a row side by side, rows 0 to 3 in the first lane.
INLINE v32 four(const v32 *laid, const pixels_filter *columns, int x) {
    enum { shift = weightBits + sampleBits };
    const int pairs = columns->pairs;
    const int32_t *weights = columns->weights + (size_t)x * pairs;
    const v32 *in[4];
    sums s[4];
    v32 t[4];
    for (int i = 0; i < 4; i++) {
        in[i] = laid + columns->starts[x + i] / 2;
        s[i] = start(1 << (shift - 1));
    }
    for (int p = 0; p < pairs; p++)
        for (int i = 0; i < 4; i++)
            s[i] = add(s[i], (v16)load(in[i] + p), everywhere(weights[i * pairs + p]));
    for (int i = 0; i < 4; i++) t[i] = total(s[i]) >> shift;
    v8 bytes = limited8(limited16(t[0], t[1]), limited16(t[2], t[3]));
    for (int i = 0; i < 2; i++) bytes = MIX(bytes, bytes, HALVES);
    return (v32)bytes;
}

// The last block overlaps the one before.
static TARGET void horizontal(const int16_t *from, size_t row, int32_t *room,
                              const pixels_filter *columns, uint8_t *const *to) {
    int width = columns->count;
    if (width < columnsAtOnce) {
        for (int r = 0; r < rowsAtOnce; r += planes_portable_kernels.rows)
            planes_portable_kernels.horizontal(from + r * row, row, room, columns, to + r);
        return;
    }
    lay(from, row, room);
    for (int x = 0; x < width; x += columnsAtOnce) {
        int at = x + columnsAtOnce <= width ? x : width - columnsAtOnce;
        v32 done[4];
        for (int i = 0; i < 4; i++) done[i] = four((const v32 *)room, columns, at + 4 * i);
        turn(done);
        for (int r = 0; r < rowsAtOnce; r++)
            memcpy(to[r] + at, (const char *)&done[r % 4] + r / 4 * 16, 16);
    }
}

const planes_kernels KERNELS = {rowsAtOnce, vertical, horizontal};
