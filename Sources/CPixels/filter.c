#include "filter.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

static pixels_tap *filterTaps(const pixels_filter *f, int i) {
    return (pixels_tap *)(f->weights + (size_t)i * f->pairs);
}

// Weighs one output sample into `taps`, which sum up to 1 in Q14; returns where they start.
static int weigh(int from, double scale, double center, double *w, pixels_tap *taps, int limit) {
    double widening = scale > 1 ? scale : 1, reach = lobes * widening;
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

void pixels_filter_free(pixels_filter *f) {
    free(f->starts);
    free(f->weights);
    // The owner frees it again after a failure.
    f->starts = NULL;
    f->weights = NULL;
}

int pixels_filter_make(pixels_filter *f, int from, double scale, double offset, int to,
                       int isEven) {
    pthread_once(&lanczosOnce, makeLanczosTable);
    double taps = ceil(2 * lobes * (scale > 1 ? scale : 1)) + 1;
    int limit = taps < from ? (int)taps : from;
    int widest = (limit + 1) / 2 + isEven;
    f->count = to;
    f->starts = malloc(sizeof(int32_t) * to);
    pixels_tap *all = calloc((size_t)to * widest, sizeof(int32_t));
    double *w = malloc(sizeof(double) * limit);
    f->weights = NULL;
    if (!f->starts || !all || !w) {
        free(all);
        free(w);
        pixels_filter_free(f);
        return -1;
    }
    // Taps that weigh nothing are cut off at both ends: at a scale of 1 only one is left, or two where
    // an even start needs one more.
    int most = 1;
    for (int i = 0; i < to; i++) {
        pixels_tap *own = all + (size_t)i * widest * 2;
        int start = weigh(from, scale, (i + 0.5) * scale + offset, w, own, limit);
        int skip = 0, count = widest * 2;
        while (own[skip] == 0) skip++;
        while (own[count - 1] == 0) count--;
        count -= skip;
        int before = isEven && (start + skip) % 2;
        memmove(own + before, own + skip, count * sizeof(pixels_tap));
        if (before) own[0] = 0;
        count += before;
        memset(own + count, 0, (widest * 2 - count) * sizeof(pixels_tap));
        f->starts[i] = start + skip - before;
        if (count > most) most = count;
    }
    free(w);
    f->pairs = (most + 1) / 2;
    f->weights = calloc((size_t)to * f->pairs, sizeof(int32_t));
    if (f->weights) {
        for (int i = 0; i < to; i++)
            memcpy(filterTaps(f, i), all + (size_t)i * widest * 2, f->pairs * sizeof(int32_t));
    }
    free(all);
    if (!f->weights) {
        pixels_filter_free(f);
        return -1;
    }
    return 0;
}
