// The cases of `PlaneKernelTests`, in C: kernels of planes give the same bytes on every path, and the values
// that their definitions say. Prints a digest of the bytes of each case.
#include "planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "pixels.h"

typedef int sample(int x, int y);

static int noise(int x, int y) { return (x * 73 ^ y * 151 ^ (x * y) >> 3) & 0xFF; }
static int extremes(int x, int y) { return (x + y) % 3 == 0 ? 255 : 0; }
static int none(int x, int y) { return (void)x, (void)y, 0; }
static int across(int x, int y) { return (void)y, x & 0xFF; }

// A plane whose rows have room at the end.
static pixels_plane plane_of(int width, int height, sample *at) {
    size_t stride = (size_t)width + 5;
    pixels_plane made = {calloc(stride, (size_t)height), width, height, stride};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) made.samples[y * stride + x] = (uint8_t)at(x, y);
    return made;
}

static int sample_at(pixels_plane p, int x, int y) { return p.samples[y * p.stride + x]; }

static size_t packed(pixels_plane p, uint8_t *to) {
    for (int y = 0; y < p.height; y++)
        memcpy(to + (size_t)y * p.width, p.samples + y * p.stride, (size_t)p.width);
    return (size_t)p.width * p.height;
}

static uint64_t digest_of(pixels_plane p) {
    uint8_t *bytes = malloc((size_t)p.width * p.height);
    uint64_t sum = digest(bytes, packed(p, bytes));
    free(bytes);
    return sum;
}

static int is_same(pixels_plane a, pixels_plane b) {
    for (int y = 0; y < a.height; y++)
        if (memcmp(a.samples + y * a.stride, b.samples + y * b.stride, (size_t)a.width)) return 0;
    return a.width == b.width && a.height == b.height;
}

static pixels_plane resampled(pixels_plane_resampler *kept, pixels_plane from, int width, int height,
                              double offset) {
    pixels_plane to = plane_of(width, height, none);
    pixels_mapping x = {(double)from.width / width, offset}, y = {(double)from.height / height, offset};
    // Twice, so that the filter of the first time is used, too.
    for (int i = 0; i < 2; i++) claim("there is memory", !pixels_resample_plane(kept, from, x, y, to));
    return to;
}

static const int sizes[][4] = {
    {64, 64, 32, 32}, {100, 70, 33, 17}, {7, 5, 3, 2}, {1, 1, 1, 1}, {2, 300, 1, 11},
    {300, 2, 11, 1}, {640, 31, 639, 30}, {33, 33, 33, 20}, {33, 33, 20, 33}, {15, 17, 7, 9},
    {2000, 9, 3, 3}, {9, 2000, 3, 3}, {257, 129, 16, 16}, {31, 32, 8, 7}, {680, 40, 640, 38},
    // Enlarged, at the least widths of a block, and a poster's levels.
    {10, 8, 33, 21}, {16, 16, 4, 4}, {17, 15, 5, 3}, {680, 1000, 160, 236}, {680, 1000, 333, 490},
};

static void every_path_gives_the_same_bytes(void) {
    const struct { pixels_path path; const char *text; } paths[] = {
        {PIXELS_PATH_AVX2, "AVX2"}, {PIXELS_PATH_SSE2, "SSE2"}, {PIXELS_PATH_PORTABLE, "portable"}};
    sample *const pictures[] = {noise, extremes, across};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int *size = sizes[s];
        // One for all: filters are kept for the kernels they were made for.
        pixels_plane_resampler *kept = pixels_plane_resampler_new();
        for (int picture = 0; picture < 3; picture++)
            for (int moved = 0; moved < 2; moved++) {
                pixels_plane from = plane_of(size[0], size[1], pictures[picture]);
                pixels_force_path(PIXELS_PATH_BEST);
                pixels_plane best = resampled(kept, from, size[2], size[3], moved * -0.5);
                for (int i = 0; i < 3; i++) {
                    char text[120];
                    snprintf(text, sizeof text, "%dx%d to %dx%d, picture %d: the best path and %s give the same bytes",
                             size[0], size[1], size[2], size[3], picture, paths[i].text);
                    pixels_force_path(paths[i].path);
                    pixels_plane other = resampled(kept, from, size[2], size[3], moved * -0.5);
                    claim(text, is_same(best, other));
                    free(other.samples);
                }
                printf("resample %dx%d to %dx%d %d%d %016llx\n", size[0], size[1], size[2], size[3], picture,
                       moved, (unsigned long long)digest_of(best));
                free(best.samples), free(from.samples);
            }
        pixels_plane_resampler_free(kept);
    }
    pixels_force_path(PIXELS_PATH_BEST);
}

static double lanczos3(double x) {
    return x == 0 ? 1 : fabs(x) >= 3 ? 0 : 3 * sin(M_PI * x) * sin(M_PI * x / 3) / (M_PI * M_PI * x * x);
}

// One output sample of a line of `count` samples, `step` apart.
static double weighed(const double *line, int count, int step, double scale, int at) {
    double center = (at + 0.5) * scale, wide = scale > 1 ? scale : 1, sum = 0, weights = 0;
    for (int j = 0; j < count; j++) {
        double weight = lanczos3((j + 0.5 - center) / wide);
        sum += weight * line[j * step];
        weights += weight;
    }
    return sum / weights;
}

static void planes_are_resampled_by_lanczos3(void) {
    const int cases[][4] = {{61, 47, 20, 13}, {40, 40, 39, 38}, {100, 90, 31, 88}, {50, 60, 50, 30}};
    for (size_t c = 0; c < 4; c++) {
        int width = cases[c][0], height = cases[c][1], w = cases[c][2], h = cases[c][3], worst = 0;
        pixels_plane from = plane_of(width, height, noise);
        double *in = malloc(sizeof(double) * width * height), *half = malloc(sizeof(double) * width * h);
        for (int i = 0; i < width * height; i++) in[i] = sample_at(from, i % width, i / width);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < width; x++)
                half[y * width + x] = weighed(in + x, height, width, (double)height / h, y);
        pixels_plane_resampler *kept = pixels_plane_resampler_new();
        pixels_plane to = resampled(kept, from, w, h, 0);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                double want = weighed(half + y * width, width, 1, (double)width / w, x);
                want = want < 0 ? 0 : want > 255 ? 255 : want;
                if (fabs(sample_at(to, x, y) - want) >= 1) worst++;
            }
        claim("planes are resampled by Lanczos3 to within rounding", worst == 0);
        pixels_plane_resampler_free(kept);
        free(in), free(half), free(from.samples), free(to.samples);
    }
}

static int ramp(int x, int y) { return (void)y, 4 * x; }

static void an_offset_moves_the_samples(void) {
    pixels_plane from = plane_of(60, 60, ramp);
    pixels_plane_resampler *kept = pixels_plane_resampler_new();
    // A ramp of 4 a sample: half a sample further is 2 more.
    pixels_plane plain = resampled(kept, from, 30, 30, 0), moved = resampled(kept, from, 30, 30, 0.5);
    for (int x = 5; x < 25; x++)
        claim("an offset moves the samples", sample_at(moved, x, 15) == sample_at(plain, x, 15) + 2);
    pixels_plane_resampler_free(kept);
    free(from.samples), free(plain.samples), free(moved.samples);
}

static void limited_range_is_the_full_one_scaled(void) {
    pixels_plane from = plane_of(256, 1, across), to = plane_of(256, 1, none);
    pixels_limit_luma(from, to);
    for (int v = 0; v < 256; v++)
        claim("limited luma is scaled and rounded", sample_at(to, v, 0) == round(16 + v * 219.0 / 255));
    pixels_limit_chroma(from, to);
    for (int v = 0; v < 256; v++)
        claim("limited chroma is scaled and rounded",
              fabs(sample_at(to, v, 0) - (128 + (v - 128) * 224.0 / 255)) <= 0.501);
    claim("gray stays gray", sample_at(to, 128, 0) == 128);
    free(from.samples), free(to.samples);
}

static void planes_are_turned(void) {
    pixels_plane from = plane_of(70, 45, noise);
    for (int value = 1; value <= 8; value++) {
        int isTurned = value >= 5, wrong = 0;
        pixels_plane to = plane_of(isTurned ? 45 : 70, isTurned ? 70 : 45, none);
        pixels_orient_plane(from, value, to);
        for (int y = 0; y < to.height; y++)
            for (int x = 0; x < to.width; x++) {
                // EXIF 2.32, Orientation: where the stored picture's first row and first column are.
                int isRight = value == 2 || value == 3, isLow = value == 3 || value == 4;
                int u = isRight ? 69 - x : x, v = isLow ? 44 - y : y;
                if (isTurned) {
                    u = value == 7 || value == 8 ? 69 - y : y;
                    v = value == 6 || value == 7 ? 44 - x : x;
                }
                wrong += sample_at(to, x, y) != sample_at(from, u, v);
            }
        claim("a plane is turned as EXIF says", wrong == 0);
        free(to.samples);
    }
    free(from.samples);
}

static const int colors[4][3] = {{255, 128, 128}, {76, 85, 255}, {150, 44, 21}, {29, 255, 107}};
static int luma_of(int x, int y) { return (void)y, colors[x / 2][0]; }
static int blue_of(int x, int y) { return (void)y, colors[x][1]; }
static int red_of(int x, int y) { return (void)y, colors[x][2]; }

static void planes_become_the_colors_of_jfif(void) {
    pixels_plane luma = plane_of(8, 2, luma_of), blue = plane_of(4, 1, blue_of), red = plane_of(4, 1, red_of);
    uint8_t rgb[48];
    pixels_planes_to_rgb(luma, blue, red, rgb);
    const int want[4][3] = {{255, 255, 255}, {254, 0, 0}, {0, 255, 1}, {0, 0, 254}};
    for (int i = 0; i < 48; i++)
        claim("planes become the colors that JFIF means", abs(rgb[i] - want[i / 3 % 8 / 2][i % 3]) <= 1);
    printf("planes to RGB %016llx\n", (unsigned long long)digest(rgb, sizeof rgb));
    free(luma.samples), free(blue.samples), free(red.samples);
}

static int color_sample(int x, int y, int band) { return (x * 61 + y * 97 + band * 83) % 256; }

static void rgb_becomes_the_planes_of_jfif(int width, int height) {
    int half = (width + 1) / 2, halfHeight = (height + 1) / 2, wrong = 0;
    pixels_plane luma = plane_of(width, height, none), blue = plane_of(half, halfHeight, none),
                 red = plane_of(half, halfHeight, none);
    uint8_t *rows[2] = {malloc(3 * (size_t)width), malloc(3 * (size_t)width)};
    for (int y = 0; y < height; y += 2) {
        for (int i = 0; i < 6 * width; i++) {
            int row = i / (3 * width), at = i % (3 * width), line = y + row < height ? y + row : y;
            rows[row][at] = (uint8_t)color_sample(at / 3, line, at % 3);
        }
        pixels_rgb_to_planes(rows[0], rows[1], y, luma, blue, red);
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double want = 0.299 * color_sample(x, y, 0) + 0.587 * color_sample(x, y, 1) + 0.114 * color_sample(x, y, 2);
            wrong += fabs(sample_at(luma, x, y) - want) > 0.51;
        }
    for (int y = 0; y < halfHeight; y++)
        for (int x = 0; x < half; x++) {
            double mean[3] = {0};
            for (int i = 0; i < 12; i++) {
                int u = 2 * x + i / 3 % 2, v = 2 * y + i / 6;
                mean[i % 3] += color_sample(u < width ? u : 2 * x, v < height ? v : 2 * y, i % 3) / 4.0;
            }
            double b = 128 - 0.168736 * mean[0] - 0.331264 * mean[1] + 0.5 * mean[2];
            double r = 128 + 0.5 * mean[0] - 0.418688 * mean[1] - 0.081312 * mean[2];
            wrong += fabs(sample_at(blue, x, y) - b) > 0.51 || fabs(sample_at(red, x, y) - r) > 0.51;
        }
    claim("RGB becomes the planes that JFIF means", wrong == 0);
    printf("RGB to planes %dx%d %016llx %016llx %016llx\n", width, height, (unsigned long long)digest_of(luma),
           (unsigned long long)digest_of(blue), (unsigned long long)digest_of(red));
    free(rows[0]), free(rows[1]), free(luma.samples), free(blue.samples), free(red.samples);
}

static void the_purest_colors_stay_within_a_byte(void) {
    const uint8_t pure[][6] = {{0, 0, 255, 0, 0, 255}, {255, 0, 0, 255, 0, 0}, {255, 255, 255, 255, 255, 255}};
    for (int i = 0; i < 3; i++) {
        pixels_plane luma = plane_of(2, 2, none), blue = plane_of(1, 1, none), red = plane_of(1, 1, none);
        pixels_rgb_to_planes(pure[i], pure[i], 0, luma, blue, red);
        int seen = i == 0 ? sample_at(blue, 0, 0) : i == 1 ? sample_at(red, 0, 0) : sample_at(luma, 1, 1);
        claim("the purest color stays within a byte", seen == 255);
        free(luma.samples), free(blue.samples), free(red.samples);
    }
}

int main(void) {
    every_path_gives_the_same_bytes();
    planes_are_resampled_by_lanczos3();
    an_offset_moves_the_samples();
    limited_range_is_the_full_one_scaled();
    planes_are_turned();
    planes_become_the_colors_of_jfif();
    const int odd[][2] = {{8, 4}, {7, 5}, {1, 1}, {33, 2}};
    for (int i = 0; i < 4; i++) rgb_becomes_the_planes_of_jfif(odd[i][0], odd[i][1]);
    the_purest_colors_stay_within_a_byte();
    return claims_end();
}
