#include "resample.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

// --- the resampler ------------------------------------------------------------------------------

struct pixels_resampler {
    int width, height, bands, toWidth, toHeight;
    uint8_t *to;
    const pixels_kernels *kernels;
    pixels_filter across, down;
    int pushed, made;
    // The last rows that came in; row y is in slot y % slots. Premultiplied Q6 with alpha, else
    // 8 bit. `direct` stands for them where the whole picture is in memory.
    int slots;
    size_t rowBytes;
    uint8_t *window;
    const uint8_t *direct;
    const void **taps;
    int16_t *weighed[2];
    int16_t *straight[2];
};

static atomic_int portableForced;

void pixels_force_portable(int portable) { atomic_store(&portableForced, portable); }

static const pixels_kernels *bestKernels(void) {
#if defined(__x86_64__)
    if (!atomic_load(&portableForced) && __builtin_cpu_supports("avx2"))
        return &pixels_avx2_kernels;
#endif
    return &pixels_portable_kernels;
}

static int lastRow(const pixels_resampler *r, int y) {
    int last = r->down.starts[y] + r->down.pairs * 2 - 1;
    return last < r->height ? last : r->height - 1;
}

static pixels_resampler *make(int width, int height, int bands, double startX, double startY,
                              double spanX, double spanY, uint8_t *to, int toWidth, int toHeight,
                              const uint8_t *direct) {
    pixels_resampler *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (pixels_resampler){.width = width, .height = height, .bands = bands, .to = to,
                            .toWidth = toWidth, .toHeight = toHeight, .direct = direct,
                            .kernels = bestKernels()};
    if (spanX == toWidth && spanY == toHeight && width == toWidth && height == toHeight) return r;
    if (pixels_filter_make(&r->across, width, spanX / toWidth, startX, toWidth, bands == 1 ? 8 : 1,
                           0))
        goto failed;
    if (pixels_filter_make(&r->down, height, spanY / toHeight, startY, toHeight, 1, 0)) goto failed;
    // Two output rows are made at a time, so their taps are kept together.
    r->slots = 1;
    for (int y = 0, reach = 0; y < toHeight; y++) {
        int next = y + 1 < toHeight ? y + 1 : y;
        int first = r->down.starts[y] < r->down.starts[next] ? r->down.starts[y]
                                                             : r->down.starts[next];
        if (lastRow(r, y) > reach) reach = lastRow(r, y);
        if (lastRow(r, next) > reach) reach = lastRow(r, next);
        if (reach - first + 1 > r->slots) r->slots = reach - first + 1;
    }
    size_t samples = (size_t)width * bands;
    r->rowBytes = samples * (bands == 4 ? sizeof(int16_t) : 1);
    r->taps = malloc(sizeof(void *) * r->down.pairs * 2);
    if (!direct) r->window = malloc(r->rowBytes * r->slots);
    // The horizontal kernels read taps of weight 0 behind the end, and a vector more.
    size_t slack = ((size_t)r->across.pairs * 2 + 16) * bands;
    for (int i = 0; i < 2; i++) {
        r->weighed[i] = calloc(samples + slack, sizeof(int16_t));
        r->straight[i] = bands == 4 ? calloc((size_t)toWidth * 4 + 4, sizeof(int16_t)) : NULL;
    }
    if (!r->taps || (!direct && !r->window) || !r->weighed[0] || !r->weighed[1]) goto failed;
    if (bands == 4 && (!r->straight[0] || !r->straight[1])) goto failed;
    return r;
failed:
    pixels_resampler_free(r);
    return NULL;
}

void pixels_resampler_free(pixels_resampler *r) {
    if (!r) return;
    pixels_filter_free(&r->across);
    pixels_filter_free(&r->down);
    free(r->taps);
    free(r->window);
    for (int i = 0; i < 2; i++) {
        free(r->weighed[i]);
        free(r->straight[i]);
    }
    free(r);
}

pixels_resampler *pixels_resampler_new(int width, int height, int bands, double spanX, double spanY,
                                       uint8_t *to, int toWidth, int toHeight) {
    return make(width, height, bands, 0, 0, spanX, spanY, to, toWidth, toHeight, NULL);
}

pixels_resampler *pixels_resampler_new_part(int width, int height, int bands, double startX,
                                            double startY, double spanX, double spanY, uint8_t *to,
                                            int toWidth, int toHeight) {
    return make(width, height, bands, startX, startY, spanX, spanY, to, toWidth, toHeight, NULL);
}

// One row of RGBA to premultiplied Q6.
static void premultiply(const uint8_t *from, int width, int16_t *to) {
    for (int x = 0; x < width; x++, from += 4, to += 4) {
        int alpha = from[3];
        for (int b = 0; b < 3; b++) {
            // Exact division by 255 for what fits here.
            uint32_t product = (uint32_t)from[b] * alpha * (1 << sampleBits) + 127;
            to[b] = (int16_t)(((uint64_t)product * 0x80808081u) >> 39);
        }
        to[3] = (int16_t)(alpha << sampleBits);
    }
}

static uint8_t clamp8(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

// One row of premultiplied Q6 to RGBA.
static void unpremultiply(const int16_t *from, int width, uint8_t *to) {
    enum { full = 255 << sampleBits, half = 1 << (sampleBits - 1) };
    for (int x = 0; x < width; x++, from += 4, to += 4) {
        int alpha = from[3];
        if (alpha >= full) {
            for (int b = 0; b < 3; b++) to[b] = clamp8((from[b] + half) >> sampleBits);
            to[3] = 255;
        } else if (alpha < half) {
            memset(to, 0, 4);
        } else {
            for (int b = 0; b < 3; b++) {
                int v = from[b] < 0 ? 0 : from[b];
                to[b] = clamp8((v * 255 + alpha / 2) / alpha);
            }
            to[3] = (uint8_t)((alpha + half) >> sampleBits);
        }
    }
}

static const void *row(const pixels_resampler *r, int y) {
    if (r->direct) return r->direct + (size_t)y * r->rowBytes;
    return r->window + (size_t)(y % r->slots) * r->rowBytes;
}

static void weighRow(pixels_resampler *r, int y, int16_t *to) {
    const int32_t *weights = r->down.weights + (size_t)y * r->down.pairs;
    int pairs = r->down.pairs;
    while (pairs > 1 && weights[pairs - 1] == 0) pairs--;
    for (int i = 0; i < pairs * 2; i++) {
        int from = r->down.starts[y] + i;
        r->taps[i] = row(r, from < r->height ? from : r->height - 1);
    }
    int samples = r->width * r->bands;
    if (r->bands == 4)
        r->kernels->vertical16((const int16_t *const *)r->taps, weights, pairs, samples, to);
    else
        r->kernels->vertical8((const uint8_t *const *)r->taps, weights, pairs, samples, to);
}

static void makeRows(pixels_resampler *r, int count) {
    size_t stride = (size_t)r->toWidth * r->bands;
    uint8_t *first = r->to + (size_t)r->made * stride;
    uint8_t *to[2] = {first, count > 1 ? first + stride : first};
    for (int i = 0; i < count; i++) weighRow(r, r->made + i, r->weighed[i]);
    const int16_t *from[2] = {r->weighed[0], r->weighed[count > 1 ? 1 : 0]};
    const pixels_filter *f = &r->across;
    if (r->bands == 4) {
        r->kernels->horizontal16(from, f->starts, f->weights, f->pairs, r->toWidth, r->straight);
        for (int i = 0; i < count; i++) unpremultiply(r->straight[i], r->toWidth, to[i]);
    } else {
        r->kernels->horizontal8(from, r->bands, f->starts, f->weights, f->pairs, r->toWidth, to);
    }
    r->made += count;
}

// Makes every output row whose taps are there, two by two.
static void makeWhatIsThere(pixels_resampler *r) {
    while (r->made < r->toHeight) {
        int count = r->made + 1 < r->toHeight ? 2 : 1;
        if (lastRow(r, r->made + count - 1) >= r->pushed) return;
        makeRows(r, count);
    }
}

void pixels_resampler_push(pixels_resampler *r, const uint8_t *rows, size_t stride, int count) {
    size_t plain = (size_t)r->width * r->bands;
    for (int i = 0; i < count && r->pushed < r->height; i++, rows += stride) {
        if (!r->taps) {
            memcpy(r->to + (size_t)r->pushed++ * plain, rows, plain);
            continue;
        }
        uint8_t *slot = r->window + (size_t)(r->pushed % r->slots) * r->rowBytes;
        if (r->bands == 4)
            premultiply(rows, r->width, (int16_t *)slot);
        else
            memcpy(slot, rows, plain);
        r->pushed++;
        makeWhatIsThere(r);
    }
}

int pixels_resample(const uint8_t *from, int width, int height, int bands, uint8_t *to, int toWidth,
                    int toHeight) {
    int direct = bands != 4 && !(width == toWidth && height == toHeight);
    pixels_resampler *r =
        make(width, height, bands, 0, 0, width, height, to, toWidth, toHeight, direct ? from : NULL);
    if (!r) return -1;
    if (direct) {
        r->pushed = height;
        makeWhatIsThere(r);
    } else {
        pixels_resampler_push(r, from, (size_t)width * bands, height);
    }
    pixels_resampler_free(r);
    return 0;
}
