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

void pixels_expand_gray_alpha(const uint8_t *grayAlpha, size_t pixels, uint8_t *rgba) {
    for (size_t i = 0; i < pixels; i++, grayAlpha += 2, rgba += 4) {
        memset(rgba, grayAlpha[0], 3);
        rgba[3] = grayAlpha[1];
    }
}

static void halvePairs(const uint8_t *restrict top, const uint8_t *restrict bottom, int pairs,
                       int bands, uint8_t *restrict to) {
    if (bands == 1) {
        for (int i = 0; i < pairs; i++)
            to[i] = (uint8_t)((top[2 * i] + top[2 * i + 1] + bottom[2 * i] + bottom[2 * i + 1] + 2)
                              >> 2);
        return;
    }
    for (int i = 0; i < pairs; i++, top += 6, bottom += 6, to += 3) {
        to[0] = (uint8_t)((top[0] + top[3] + bottom[0] + bottom[3] + 2) >> 2);
        to[1] = (uint8_t)((top[1] + top[4] + bottom[1] + bottom[4] + 2) >> 2);
        to[2] = (uint8_t)((top[2] + top[5] + bottom[2] + bottom[5] + 2) >> 2);
    }
}

static void halveAlone(const uint8_t *top, const uint8_t *bottom, int bands, uint8_t *to) {
    for (int b = 0; b < bands; b++) to[b] = (uint8_t)((top[b] + bottom[b] + 1) >> 1);
}

void pixels_halve(const uint8_t *top, const uint8_t *bottom, int width, int bands, int firstAlone,
                  uint8_t *to) {
    int odd = width % 2;
    if (odd && firstAlone) {
        halveAlone(top, bottom, bands, to);
        top += bands;
        bottom += bands;
        to += bands;
    }
    halvePairs(top, bottom, width / 2, bands, to);
    size_t end = (size_t)(width - 1) * bands;
    if (odd && !firstAlone)
        halveAlone(top + end, bottom + end, bands, to + (size_t)(width / 2) * bands);
}

void pixels_threshold(uint8_t *gray, size_t pixels, uint8_t threshold) {
    for (size_t i = 0; i < pixels; i++) gray[i] = gray[i] < threshold ? 0 : 255;
}
