#include "pixels.h"
#include <math.h>

// The sums run in the order of the published algorithm, pixel after pixel: of a picture in one color
// the terms are rounding errors, and those are part of its hash as well. So no two steps are fused
// into one, and every path below gives the same bits.

enum {
    longest = 100,  // pixels of a side
    most = 8,       // terms of one row, side by side so that they are added at once
    rows = 4,       // rows whose sums don't wait for each other
};

/// The cosines of every pixel along one side.
typedef struct {
    double at[longest][most];
} cosines;

/// Adds the products of a channel's values with both cosines, for the terms of `rows` rows.
typedef void add_rows(const double *channel, int width, int height, const cosines *across,
                      const cosines *down, int first, double (*sums)[most]);

static inline __attribute__((always_inline)) void
added(const double *channel, int width, int height, const cosines *across, const cosines *down,
      int first, double (*sums)[most]) {
#pragma STDC FP_CONTRACT OFF
    double local[rows][most] = {{0}};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double value = channel[x + y * width];
            for (int cx = 0; cx < most; cx++) {
                double product = value * across->at[x][cx];
#pragma clang loop unroll(full)
                for (int row = 0; row < rows; row++)
                    local[row][cx] += product * down->at[y][first + row];
            }
        }
    for (int row = 0; row < rows; row++)
        for (int cx = 0; cx < most; cx++) sums[row][cx] = local[row][cx];
}

static void add_portable(const double *channel, int width, int height, const cosines *across,
                         const cosines *down, int first, double (*sums)[most]) {
    added(channel, width, height, across, down, first, sums);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
add_avx2(const double *channel, int width, int height, const cosines *across, const cosines *down,
         int first, double (*sums)[most]) {
    added(channel, width, height, across, down, first, sums);
}
#endif

static add_rows *fastest(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return add_avx2;
#endif
    return add_portable;
}

/// The cosines along one side, which the thread keeps: the pictures of a catalog are alike.
static void keep(cosines *kept, int *keptSide, int side) {
    if (*keptSide == side) return;
    for (int at = 0; at < side; at++)
        for (int term = 0; term < most; term++)
            kept->at[at][term] = cos(M_PI / side * term * (at + 0.5));
    *keptSide = side;
}

void pixels_cosine_terms(const double *channel, int width, int height, int nx, int ny,
                         double *terms) {
    static _Thread_local cosines across, down;
    static _Thread_local int keptWidth, keptHeight;
    add_rows *add = fastest();
    keep(&across, &keptWidth, width);
    keep(&down, &keptHeight, height);
    for (int first = 0; first < ny; first += rows) {
        double sums[rows][most];
        add(channel, width, height, &across, &down, first, sums);
        // Other sums are not used.
        for (int cy = first; cy < ny && cy < first + rows; cy++)
            for (int cx = 0; cx < most && cx * ny < nx * (ny - cy); cx++)
                *terms++ = sums[cy - first][cx] / (width * height);
    }
}
