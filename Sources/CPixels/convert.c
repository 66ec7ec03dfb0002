#include <string.h>

#include "pixels.h"

// Where the source pixel of the output's first pixel is, and how far the next one to the right and
// the next one down are, in pixels.
typedef struct {
    ptrdiff_t first, right, down;
} walk;

// `s` is from one row to the next, in pixels.
static walk walkFor(int orientation, ptrdiff_t w, ptrdiff_t h, ptrdiff_t s) {
    switch (orientation) {
    case 2: return (walk){w - 1, -1, s};
    case 3: return (walk){s * (h - 1) + w - 1, -1, -s};
    case 4: return (walk){s * (h - 1), 1, -s};
    case 5: return (walk){0, s, 1};
    case 6: return (walk){s * (h - 1), -s, 1};
    case 7: return (walk){s * (h - 1) + w - 1, -s, -1};
    case 8: return (walk){w - 1, s, -1};
    default: return (walk){0, 1, s};
    }
}

// `toStride` is in bytes.
static void turn(const uint8_t *from, walk way, int bands, uint8_t *to, int toWidth, int toHeight,
                 size_t toStride) {
    enum { tile = 32 };  // keeps the columns that are read for 5…8 in the cache
    for (int ty = 0; ty < toHeight; ty += tile)
        for (int tx = 0; tx < toWidth; tx += tile)
            for (int y = ty; y < toHeight && y < ty + tile; y++) {
                const uint8_t *in = from + (way.first + y * way.down + tx * way.right) * bands;
                uint8_t *out = to + y * toStride + (size_t)tx * bands;
                int end = toWidth - tx < tile ? toWidth - tx : tile;
                for (int x = 0; x < end; x++, in += way.right * bands, out += bands)
                    for (int b = 0; b < bands; b++) out[b] = in[b];
            }
}

void pixels_orient(const uint8_t *from, int width, int height, int bands, int orientation,
                   uint8_t *to) {
    int turned = orientation >= 5 && orientation <= 8;
    int toWidth = turned ? height : width, toHeight = turned ? width : height;
    turn(from, walkFor(orientation, width, height, width), bands, to, toWidth, toHeight,
         (size_t)toWidth * bands);
}

void pixels_orient_plane(pixels_plane from, int orientation, pixels_plane to) {
    walk way = walkFor(orientation, from.width, from.height, (ptrdiff_t)from.stride);
    turn(from.samples, way, 1, to.samples, to.width, to.height, to.stride);
}

int pixels_is_opaque(const uint8_t *rgba, size_t pixels) {
    for (size_t i = 0; i < pixels; i++)
        if (rgba[4 * i + 3] != 255) return 0;
    return 1;
}

void pixels_flatten(const uint8_t *rgba, size_t pixels, uint8_t red, uint8_t green, uint8_t blue,
                    uint8_t *rgb) {
    const uint8_t under[3] = {red, green, blue};
    for (size_t i = 0; i < pixels; i++, rgba += 4, rgb += 3) {
        unsigned alpha = rgba[3];
        for (int b = 0; b < 3; b++)
            rgb[b] = (uint8_t)((rgba[b] * alpha + under[b] * (255 - alpha) + 127) / 255);
    }
}

void pixels_expand_gray(const uint8_t *gray, size_t pixels, uint8_t *rgb) {
    for (size_t i = 0; i < pixels; i++) memset(rgb + 3 * i, gray[i], 3);
}

void pixels_expand_gray_alpha(const uint8_t *grayAlpha, size_t pixels, uint8_t *rgba) {
    for (size_t i = 0; i < pixels; i++, grayAlpha += 2, rgba += 4) {
        memset(rgba, grayAlpha[0], 3);
        rgba[3] = grayAlpha[1];
    }
}
