// The kernels of colors, in plain C from which the compiler makes vectors. A file for each kind of vectors
// includes this, and defines
//   TARGET    the attribute of functions that may use its instructions
//   KERNELS   the name of the result
#include "colors.h"

#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE uint8_t limited(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

// The product of two fractions of 255, rounded to the nearest.
INLINE uint8_t product(unsigned a, unsigned b) {
    unsigned sum = a * b + 128;
    return (uint8_t)((sum + (sum >> 8)) >> 8);
}

// --- to planes: ITU-T T.871, section 7, in Q16 ----------------------------------------------------

INLINE void lumaRow(const uint8_t *restrict rgb, int width, uint8_t *restrict to) {
    for (int x = 0; x < width; x++)
        to[x] = (uint8_t)((19595 * rgb[3 * x] + 38470 * rgb[3 * x + 1] + 7471 * rgb[3 * x + 2] + 32768)
                          >> 16);
}

// From the sums of four pixels. Just less than a half is added, so that the purest colors are 255.
INLINE void color(int r, int g, int b, uint8_t *blue, uint8_t *red) {
    enum { offset = (128 << 18) + (1 << 17) - 1 };
    *blue = (uint8_t)((-11059 * r - 21709 * g + 32768 * b + offset) >> 18);
    *red = (uint8_t)((32768 * r - 27439 * g - 5329 * b + offset) >> 18);
}

INLINE void colorRow(const uint8_t *restrict top, const uint8_t *restrict bottom, int width,
                     uint8_t *restrict blue, uint8_t *restrict red) {
    for (int x = 0; x < width / 2; x++) {
        const uint8_t *t = top + 6 * x, *b = bottom + 6 * x;
        color(t[0] + t[3] + b[0] + b[3], t[1] + t[4] + b[1] + b[4], t[2] + t[5] + b[2] + b[5],
              blue + x, red + x);
    }
    if (width % 2 == 0) return;
    const uint8_t *t = top + 3 * (width - 1), *b = bottom + 3 * (width - 1);
    color(2 * (t[0] + b[0]), 2 * (t[1] + b[1]), 2 * (t[2] + b[2]), blue + width / 2, red + width / 2);
}

INLINE void rows(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                 pixels_plane blue, pixels_plane red) {
    uint8_t *to = luma.samples + y * luma.stride;
    lumaRow(top, luma.width, to);
    if (y + 1 < luma.height) lumaRow(bottom, luma.width, to + luma.stride);
    colorRow(top, bottom, luma.width, blue.samples + y / 2 * blue.stride,
             red.samples + y / 2 * red.stride);
}

static TARGET void fromRGB(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                           pixels_plane blue, pixels_plane red) {
    rows(top, bottom, y, luma, blue, red);
}

// Returns the bits that all alphas have.
INLINE uint8_t weighRow(const uint8_t *restrict rgba, int width, uint8_t *restrict rgb,
                        uint8_t *restrict alpha) {
    uint8_t all = 255;
    for (int x = 0; x < width; x++) {
        uint8_t a = rgba[4 * x + 3];
        for (int b = 0; b < 3; b++) rgb[3 * x + b] = product(rgba[4 * x + b], a);
        alpha[x] = a;
        all &= a;
    }
    return all;
}

static TARGET int fromRGBA(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                           pixels_plane blue, pixels_plane red, pixels_plane alpha, uint8_t *room) {
    uint8_t *to = alpha.samples + y * alpha.stride;
    uint8_t *first = room, *second = room;
    uint8_t all = weighRow(top, alpha.width, first, to);
    if (y + 1 < alpha.height) {
        second += (size_t)3 * alpha.width;
        all &= weighRow(bottom, alpha.width, second, to + alpha.stride);
    }
    rows(first, second, y, luma, blue, red);
    return all == 255;
}

// --- from planes ----------------------------------------------------------------------------------

INLINE void pixel(int luma, int cb, int cr, uint8_t *rgb) {
    enum { redOfCr = 91881, greenOfCb = 22554, greenOfCr = 46802, blueOfCb = 116130, half = 32768 };
    int v = luma * 65536 + half;
    cb -= 128, cr -= 128;
    rgb[0] = limited((v + redOfCr * cr) >> 16);
    rgb[1] = limited((v - greenOfCb * cb - greenOfCr * cr) >> 16);
    rgb[2] = limited((v + blueOfCb * cb) >> 16);
}

INLINE void pixelRow(const uint8_t *restrict luma, const uint8_t *restrict blue,
                     const uint8_t *restrict red, int width, int isHalved, int bands,
                     uint8_t *restrict to) {
    if (!isHalved) {
        for (int x = 0; x < width; x++) pixel(luma[x], blue[x], red[x], to + bands * x);
        return;
    }
    for (int x = 0; x < width / 2; x++) {
        pixel(luma[2 * x], blue[x], red[x], to + 2 * bands * x);
        pixel(luma[2 * x + 1], blue[x], red[x], to + 2 * bands * x + bands);
    }
    int x = width - 1;
    if (width % 2) pixel(luma[x], blue[x / 2], red[x / 2], to + bands * x);
}

INLINE void toPixels(pixels_plane luma, pixels_plane blue, pixels_plane red, uint8_t *to,
                     int bands) {
    int across = blue.width < luma.width, down = blue.height < luma.height;
    for (int y = 0; y < luma.height; y++, to += (size_t)bands * luma.width)
        pixelRow(luma.samples + y * luma.stride, blue.samples + (y >> down) * blue.stride,
                 red.samples + (y >> down) * red.stride, luma.width, across, bands, to);
}

static TARGET void toRGB(pixels_plane luma, pixels_plane blue, pixels_plane red, uint8_t *rgb) {
    toPixels(luma, blue, red, rgb, 3);
}

static TARGET void toRGBA(pixels_plane luma, pixels_plane blue, pixels_plane red,
                          pixels_plane alpha, uint8_t *rgba) {
    toPixels(luma, blue, red, rgba, 4);
    for (int y = 0; y < alpha.height; y++, rgba += (size_t)4 * alpha.width) {
        const uint8_t *a = alpha.samples + y * alpha.stride;
        for (int x = 0; x < alpha.width; x++) rgba[4 * x + 3] = a[x];
    }
}

// --- profiles -------------------------------------------------------------------------------------

typedef int32_t linear __attribute__((vector_size(16), aligned(4)));

INLINE void matrixRow(const pixels_color_matrix *matrix, uint8_t *pixels, size_t count, int bands) {
    enum { shift = 7, most = PIXELS_LINEAR_STEPS };
    const linear zero = {0}, one = zero + most;
    for (size_t i = 0; i < count; i++, pixels += bands) {
        linear sum = *(const linear *)matrix->parts[0][pixels[0]];
        sum += *(const linear *)matrix->parts[1][pixels[1]];
        sum += *(const linear *)matrix->parts[2][pixels[2]];
        sum = (sum + (1 << (shift - 1))) >> shift;
        linear over = sum > one;
        sum = (sum & (sum > zero) & ~over) | (one & over);
        for (int b = 0; b < 3; b++) pixels[b] = matrix->encoded[sum[b]];
    }
}

static TARGET void applyMatrix(const pixels_color_matrix *matrix, uint8_t *pixels, size_t count,
                               int bands) {
    if (bands == 4)
        matrixRow(matrix, pixels, count, 4);
    else
        matrixRow(matrix, pixels, count, 3);
}

// --- one plane ------------------------------------------------------------------------------------

INLINE uint8_t scaled(int sample, colors_range range) {
    return limited(((sample - range.middle) * range.factor + range.bias) >> 16);
}

// Each sample is read before it is written, as in place.
static TARGET void scale(pixels_plane from, pixels_plane to, colors_range range) {
    for (int y = 0; y < from.height; y++) {
        const uint8_t *in = from.samples + y * from.stride;
        uint8_t *out = to.samples + y * to.stride;
        for (int x = 0; x < from.width; x++) out[x] = scaled(in[x], range);
    }
}

static TARGET int isOpaque(pixels_plane alpha) {
    for (int y = 0; y < alpha.height; y++) {
        const uint8_t *a = alpha.samples + y * alpha.stride;
        uint8_t all = 255;
        for (int x = 0; x < alpha.width; x++) all &= a[x];
        if (all != 255) return 0;
    }
    return 1;
}

static TARGET void weighLuma(pixels_plane luma, pixels_plane alpha, colors_range range) {
    for (int y = 0; y < luma.height; y++) {
        uint8_t *samples = luma.samples + y * luma.stride;
        const uint8_t *a = alpha.samples + y * alpha.stride;
        for (int x = 0; x < luma.width; x++) samples[x] = product(scaled(samples[x], range), a[x]);
    }
}

// A fraction of 1 in Q15 from the sum of four alphas.
INLINE int fraction(int sum) { return (sum * 32896 + 512) >> 10; }

// A color that is weighed, or a ground by the rest of 1.
INLINE int weighed(int sample, int part) { return ((sample - 128) * part + 16384) >> 15; }

// The sums of the alphas for one row of a color. The last column and row of an odd size count twice.
INLINE void sums(pixels_plane alpha, int y, int from, int count, int *restrict to) {
    const uint8_t *top = alpha.samples + 2 * y * alpha.stride + 2 * from;
    const uint8_t *bottom = 2 * y + 1 < alpha.height ? top + alpha.stride : top;
    int whole = 2 * (from + count) <= alpha.width ? count : count - 1;
    for (int x = 0; x < whole; x++)
        to[x] = top[2 * x] + top[2 * x + 1] + bottom[2 * x] + bottom[2 * x + 1];
    if (whole < count) to[whole] = 2 * (top[2 * whole] + bottom[2 * whole]);
}

enum { colorsAtOnce = 256 };

static TARGET void weighChroma(pixels_plane chroma, pixels_plane alpha, colors_range range) {
    int sum[colorsAtOnce];
    for (int y = 0; y < chroma.height; y++)
        for (int from = 0; from < chroma.width; from += colorsAtOnce) {
            int count = chroma.width - from < colorsAtOnce ? chroma.width - from : colorsAtOnce;
            sums(alpha, y, from, count, sum);
            uint8_t *samples = chroma.samples + y * chroma.stride + from;
            for (int x = 0; x < count; x++)
                samples[x] = (uint8_t)(128 + weighed(scaled(samples[x], range), fraction(sum[x])));
        }
}

static TARGET void flattenLuma(pixels_plane luma, pixels_plane alpha, int ground, pixels_plane to) {
    for (int y = 0; y < luma.height; y++) {
        const uint8_t *in = luma.samples + y * luma.stride, *a = alpha.samples + y * alpha.stride;
        uint8_t *out = to.samples + y * to.stride;
        for (int x = 0; x < luma.width; x++)
            out[x] = limited(in[x] + product((unsigned)(255 - a[x]), (unsigned)ground));
    }
}

static TARGET void flattenChroma(pixels_plane chroma, pixels_plane alpha, int ground,
                                 pixels_plane to) {
    int sum[colorsAtOnce];
    for (int y = 0; y < chroma.height; y++)
        for (int from = 0; from < chroma.width; from += colorsAtOnce) {
            int count = chroma.width - from < colorsAtOnce ? chroma.width - from : colorsAtOnce;
            sums(alpha, y, from, count, sum);
            const uint8_t *in = chroma.samples + y * chroma.stride + from;
            uint8_t *out = to.samples + y * to.stride + from;
            for (int x = 0; x < count; x++)
                out[x] = limited(in[x] + weighed(ground, 32768 - fraction(sum[x])));
        }
}

const colors_kernels KERNELS = {fromRGB,   fromRGBA,  toRGB,       toRGBA,      applyMatrix, scale,
                                isOpaque,  weighLuma, weighChroma, flattenLuma, flattenChroma};
