#include "colors.h"

#include "planes.h"

static const colors_kernels *best(void) {
#if defined(__x86_64__)
    int forced = planes_forced_path();
    if (forced != PIXELS_PATH_SSE2 && forced != PIXELS_PATH_PORTABLE &&
        __builtin_cpu_supports("avx2"))
        return &colors_avx2_kernels;
#endif
    return &colors_portable_kernels;
}

void pixels_rgb_to_planes(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                          pixels_plane blue, pixels_plane red) {
    best()->fromRGB(top, bottom, y, luma, blue, red);
}

int pixels_rgba_to_planes(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                          pixels_plane blue, pixels_plane red, pixels_plane alpha, uint8_t *room) {
    return best()->fromRGBA(top, bottom, y, luma, blue, red, alpha, room);
}

void pixels_planes_to_rgb(pixels_plane luma, pixels_plane blue, pixels_plane red, uint8_t *rgb) {
    best()->toRGB(luma, blue, red, rgb);
}

void pixels_planes_to_rgba(pixels_plane luma, pixels_plane blue, pixels_plane red,
                           pixels_plane alpha, uint8_t *rgba) {
    best()->toRGBA(luma, blue, red, alpha, rgba);
}

void pixels_apply_color_matrix(const pixels_color_matrix *matrix, uint8_t *pixels, size_t count,
                               int bands) {
    best()->applyMatrix(matrix, pixels, count, bands);
}

// --- CMYK -----------------------------------------------------------------------------------------

void pixels_split_ink(const uint8_t *restrict row, int width, uint8_t *restrict c,
                      uint8_t *restrict m, uint8_t *restrict y, uint8_t *restrict k) {
    for (int x = 0; x < width; x++)
        c[x] = row[4 * x], m[x] = row[4 * x + 1], y[x] = row[4 * x + 2], k[x] = row[4 * x + 3];
}

void pixels_join_ink(pixels_plane c, pixels_plane m, pixels_plane y, pixels_plane k, uint8_t *ink) {
    const pixels_plane planes[4] = {c, m, y, k};
    for (int row = 0; row < c.height; row++, ink += (size_t)4 * c.width)
        for (int band = 0; band < 4; band++) {
            const uint8_t *from = planes[band].samples + row * planes[band].stride;
            for (int x = 0; x < c.width; x++) ink[4 * x + band] = from[x];
        }
}

// --- range: factors in Q16, rounded to the nearest ------------------------------------------------

enum { half = 32768, middle = 128 };

static const colors_range
    limitLuma = {0, (219 * 65536 + 127) / 255, (16 << 16) + half},
    limitChroma = {middle, (224 * 65536 + 127) / 255, (middle << 16) + half},
    widenLuma = {16, (255 * 65536 + 109) / 219, half},
    widenChroma = {middle, (255 * 65536 + 112) / 224, (middle << 16) + half};

void pixels_limit_luma(pixels_plane from, pixels_plane to) { best()->scale(from, to, limitLuma); }

void pixels_limit_chroma(pixels_plane from, pixels_plane to) {
    best()->scale(from, to, limitChroma);
}

void pixels_unlimit_luma(pixels_plane from, pixels_plane to) { best()->scale(from, to, widenLuma); }

void pixels_unlimit_chroma(pixels_plane from, pixels_plane to) {
    best()->scale(from, to, widenChroma);
}

// --- alpha ----------------------------------------------------------------------------------------

int pixels_is_opaque_plane(pixels_plane alpha) { return best()->isOpaque(alpha); }

void pixels_weigh_limited_luma(pixels_plane luma, pixels_plane alpha) {
    best()->weighLuma(luma, alpha, widenLuma);
}

void pixels_weigh_limited_chroma(pixels_plane chroma, pixels_plane alpha) {
    best()->weighChroma(chroma, alpha, widenChroma);
}

void pixels_flatten_luma(pixels_plane luma, pixels_plane alpha, int ground, pixels_plane to) {
    best()->flattenLuma(luma, alpha, ground, to);
}

void pixels_flatten_chroma(pixels_plane chroma, pixels_plane alpha, int ground, pixels_plane to) {
    best()->flattenChroma(chroma, alpha, ground, to);
}

// Divisions are looked up. A sample that is brighter than its alpha is what resampling leaves at an edge.
void pixels_straight_luma(pixels_plane luma, pixels_plane alpha, pixels_plane to) {
    uint32_t inverse[256] = {0};
    for (uint32_t a = 1; a < 256; a++) inverse[a] = ((255u << 16) + a / 2) / a;
    for (int y = 0; y < luma.height; y++) {
        const uint8_t *in = luma.samples + y * luma.stride, *a = alpha.samples + y * alpha.stride;
        uint8_t *out = to.samples + y * to.stride;
        for (int x = 0; x < luma.width; x++) {
            uint32_t value = (in[x] * inverse[a[x]] + half) >> 16;
            out[x] = value > 255 ? 255 : (uint8_t)value;
        }
    }
}

void pixels_straight_chroma(pixels_plane chroma, pixels_plane alpha, pixels_plane to) {
    enum { most = 4 * 255, bits = 12 };
    int inverse[most + 1] = {0};
    for (int sum = 1; sum <= most; sum++) inverse[sum] = ((most << bits) + sum / 2) / sum;
    for (int y = 0; y < chroma.height; y++) {
        const uint8_t *top = alpha.samples + 2 * y * alpha.stride;
        const uint8_t *bottom = 2 * y + 1 < alpha.height ? top + alpha.stride : top;
        const uint8_t *in = chroma.samples + y * chroma.stride;
        uint8_t *out = to.samples + y * to.stride;
        for (int x = 0; x < chroma.width; x++) {
            int left = 2 * x, right = left + 1 < alpha.width ? left + 1 : left;
            int sum = top[left] + top[right] + bottom[left] + bottom[right];
            int value = middle + (((in[x] - middle) * inverse[sum] + (1 << (bits - 1))) >> bits);
            out[x] = value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
        }
    }
}
