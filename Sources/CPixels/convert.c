#include <string.h>

#include "pixels.h"

// Where the source pixel of the output's first pixel is, and how far the next one to the right and
// the next one down are, in pixels.
typedef struct {
    ptrdiff_t first, right, down;
} walk;

static walk walkFor(int orientation, ptrdiff_t w, ptrdiff_t h) {
    switch (orientation) {
    case 2: return (walk){w - 1, -1, w};
    case 3: return (walk){w * h - 1, -1, -w};
    case 4: return (walk){w * (h - 1), 1, -w};
    case 5: return (walk){0, w, 1};
    case 6: return (walk){w * (h - 1), -w, 1};
    case 7: return (walk){w * h - 1, -w, -1};
    case 8: return (walk){w - 1, w, -1};
    default: return (walk){0, 1, w};
    }
}

void pixels_orient(const uint8_t *from, int width, int height, int bands, int orientation,
                   uint8_t *to) {
    enum { tile = 32 };  // keeps the columns that are read for 5…8 in the cache
    walk way = walkFor(orientation, width, height);
    int turned = orientation >= 5 && orientation <= 8;
    int toWidth = turned ? height : width, toHeight = turned ? width : height;
    for (int ty = 0; ty < toHeight; ty += tile)
        for (int tx = 0; tx < toWidth; tx += tile)
            for (int y = ty; y < toHeight && y < ty + tile; y++) {
                const uint8_t *in = from + (way.first + y * way.down + tx * way.right) * bands;
                uint8_t *out = to + ((size_t)y * toWidth + tx) * bands;
                int end = toWidth - tx < tile ? toWidth - tx : tile;
                for (int x = 0; x < end; x++, in += way.right * bands, out += bands)
                    for (int b = 0; b < bands; b++) out[b] = in[b];
            }
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
