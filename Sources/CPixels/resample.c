#include "resample.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// --- the filter ---------------------------------------------------------------------------------

enum { lobes = 3, tableSteps = 2048 };

// Two sines for each tap would cost more than the sums they weigh; linear interpolation in this
// table is off by less than 1e-6, a sixtieth of what a weight can express.
static double lanczosTable[lobes * tableSteps + 2];
static pthread_once_t lanczosOnce = PTHREAD_ONCE_INIT;

static void makeLanczosTable(void) {
    lanczosTable[0] = 1;
    for (int i = 1; i < lobes * tableSteps; i++) {
        double x = M_PI * i / tableSteps;
        lanczosTable[i] = lobes * sin(x) * sin(x / lobes) / (x * x);
    }
}

static double lanczos(double x) {
    double at = fabs(x) * tableSteps;
    if (at >= lobes * tableSteps) return 0;
    int i = (int)at;
    return lanczosTable[i] + (at - i) * (lanczosTable[i + 1] - lanczosTable[i]);
}

// For each output sample where its taps start and what they weigh, in pairs.
typedef struct {
    int count, pairs;
    int32_t *starts;
    int32_t *weights;
} filter;

static int16_t *filterTaps(const filter *f, int i) {
    return (int16_t *)(f->weights + (size_t)i * f->pairs);
}

// Weighs one output sample into `taps`, which sum up to 1 in Q14; returns where they start.
static int weigh(int from, double scale, int i, double *w, int16_t *taps, int limit) {
    double widening = scale > 1 ? scale : 1, reach = lobes * widening, center = (i + 0.5) * scale;
    int first = (int)floor(center - reach + 0.5), end = (int)floor(center + reach + 0.5);
    if (first < 0) first = 0;
    if (end > from) end = from;
    if (first > from - 1) first = from - 1;
    if (end <= first) end = first + 1;
    if (end - first > limit) end = first + limit;
    double sum = 0;
    for (int j = first; j < end; j++) sum += w[j - first] = lanczos((j + 0.5 - center) / widening);
    int total = 0, heaviest = 0, count = end - first;
    if (sum == 0) w[0] = sum = 1;
    for (int j = 0; j < count; j++) {
        taps[j] = (int16_t)lrint(w[j] / sum * (1 << weightBits));
        total += taps[j];
        if (taps[j] > taps[heaviest]) heaviest = j;
    }
    taps[heaviest] += (1 << weightBits) - total;
    return first;
}

static void freeFilter(filter *f) {
    free(f->starts);
    free(f->weights);
}

// `step` pairs at a time are what the horizontal kernel for one band reads.
static int makeFilter(filter *f, int from, double span, int to, int step) {
    pthread_once(&lanczosOnce, makeLanczosTable);
    double scale = span / to;
    int limit = (int)ceil(2 * lobes * (scale > 1 ? scale : 1)) + 1;
    if (limit > from) limit = from;
    int widest = (limit + 1) / 2;
    f->count = to;
    f->starts = malloc(sizeof(int32_t) * to);
    int16_t *all = calloc((size_t)to * widest, sizeof(int32_t));
    double *w = malloc(sizeof(double) * limit);
    f->weights = NULL;
    if (!f->starts || !all || !w) {
        free(all);
        free(w);
        freeFilter(f);
        return -1;
    }
    // Taps that weigh nothing are cut off at both ends: at a scale of 1 only one is left.
    int most = 1;
    for (int i = 0; i < to; i++) {
        int16_t *taps = all + (size_t)i * widest * 2;
        int start = weigh(from, scale, i, w, taps, limit), skip = 0, count = widest * 2;
        while (taps[skip] == 0) skip++;
        while (taps[count - 1] == 0) count--;
        count -= skip;
        memmove(taps, taps + skip, count * sizeof(int16_t));
        memset(taps + count, 0, (widest * 2 - count) * sizeof(int16_t));
        f->starts[i] = start + skip;
        if (count > most) most = count;
    }
    free(w);
    f->pairs = ((most + 1) / 2 + step - 1) / step * step;
    f->weights = calloc((size_t)to * f->pairs, sizeof(int32_t));
    if (f->weights) {
        int copied = f->pairs < widest ? f->pairs : widest;
        for (int i = 0; i < to; i++)
            memcpy(filterTaps(f, i), all + (size_t)i * widest * 2, copied * sizeof(int32_t));
    }
    free(all);
    if (!f->weights) {
        freeFilter(f);
        return -1;
    }
    return 0;
}

// --- the resampler ------------------------------------------------------------------------------

struct pixels_resampler {
    int width, height, bands, toWidth, toHeight;
    uint8_t *to;
    const pixels_kernels *kernels;
    filter across, down;
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

static pixels_resampler *make(int width, int height, int bands, double spanX, double spanY,
                              uint8_t *to, int toWidth, int toHeight, const uint8_t *direct) {
    pixels_resampler *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (pixels_resampler){.width = width, .height = height, .bands = bands, .to = to,
                            .toWidth = toWidth, .toHeight = toHeight, .direct = direct,
                            .kernels = bestKernels()};
    if (spanX == toWidth && spanY == toHeight && width == toWidth && height == toHeight) return r;
    if (makeFilter(&r->across, width, spanX, toWidth, bands == 1 ? 8 : 1)) goto failed;
    if (makeFilter(&r->down, height, spanY, toHeight, 1)) goto failed;
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
    freeFilter(&r->across);
    freeFilter(&r->down);
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
    return make(width, height, bands, spanX, spanY, to, toWidth, toHeight, NULL);
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
    const filter *f = &r->across;
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
        make(width, height, bands, width, height, to, toWidth, toHeight, direct ? from : NULL);
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
