#include <stddef.h>

#include "noise.h"

// SplitMix64's finisher: every bit of the input changes half of the bits of the output.
static uint64_t mixed(uint64_t v) {
    v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9u;
    v = (v ^ (v >> 27)) * 0x94D049BB133111EBu;
    return v ^ (v >> 31);
}

static float uniform(uint64_t seed, int x, int y) {
    uint64_t at = ((uint64_t)(uint32_t)x << 32) | (uint32_t)y;
    return (float)(mixed(seed ^ mixed(at + 0x9E3779B97F4A7C15u)) >> 40) / (1 << 24);
}

static uint8_t rounded(float v) { return v <= 0 ? 0 : v >= 255 ? 255 : (uint8_t)(v + 0.5f); }

static void lighten(uint8_t *p, float by) {
    for (int b = 0; b < 3; b++) p[b] = rounded(p[b] + by);
}

static float smooth(float t) { return t * t * (3 - 2 * t); }

// One octave of value noise over a row, added to `sums`; -1…1 times `amplitude`.
static void addOctave(float *sums, int width, int y, uint64_t seed, float scale, float amplitude) {
    float fy = y / scale;
    int cy = (int)fy;
    float ty = smooth(fy - cy), left = 0, right = 0;
    int cell = -1;
    for (int x = 0; x < width; x++) {
        float fx = x / scale;
        int cx = (int)fx;
        if (cx != cell) {
            cell = cx;
            float a = uniform(seed, cx, cy), b = uniform(seed, cx, cy + 1);
            float c = uniform(seed, cx + 1, cy), d = uniform(seed, cx + 1, cy + 1);
            left = a + (b - a) * ty, right = c + (d - c) * ty;
        }
        sums[x] += amplitude * (2 * (left + (right - left) * smooth(fx - cx)) - 1);
    }
}

void noise_patches(uint8_t *rgb, int width, int height, uint64_t seed, double scale,
                   double strength, int octaves) {
    enum { span = 256, most = 8192 };
    if (!(scale >= 1)) scale = 1;
    float whole = 0;
    for (int i = 0; i < octaves; i++) whole += 1.0f / (1 << i);
    if (octaves < 1 || octaves > 16) return;
    float sums[most];
    int reach = width < most ? width : most;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < reach; x++) sums[x] = 0;
        float size = (float)scale;
        for (int i = 0; i < octaves && size >= 1; i++, size /= 2)
            addOctave(sums, reach, y, mixed(seed + i), size,
                      (float)strength * span / 2 / (1 << i) / whole);
        for (int x = 0; x < reach; x++) lighten(rgb + ((size_t)y * width + x) * 3, sums[x]);
    }
}

void noise_grain(uint8_t *rgb, int width, int height, uint64_t seed, double strength) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            // The sum of three uniform numbers is near enough to a normal one.
            float a = uniform(seed, x, y), b = uniform(seed + 1, x, y), d = uniform(seed + 2, x, y);
            lighten(rgb + ((size_t)y * width + x) * 3, (a + b + d - 1.5f) * 2 * 255 * strength);
        }
}

void noise_finish(uint8_t *rgb, int width, int height, uint64_t seed, double grain, double patches,
                  double scale, double vignette) {
    enum { most = 8192, mask = (1 << 21) - 1 };
    float sums[most];
    int reach = width < most ? width : most;
    float coarse = (float)(scale < 1 ? 1 : scale), part = (float)(patches * 128 / 1.5);
    float fine = (float)(grain * 2 * 255) / (1 << 21);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < reach; x++) sums[x] = 0;
        if (patches > 0) {
            addOctave(sums, reach, y, mixed(seed), coarse, part);
            if (coarse >= 2) addOctave(sums, reach, y, mixed(seed + 1), coarse / 2, part / 2);
        }
        float dy = (y + 0.5f) * 2 / height - 1;
        uint64_t row = mixed(seed + 2 + (uint64_t)y);
        uint8_t *p = rgb + (size_t)y * width * 3;
        for (int x = 0; x < reach; x++, p += 3) {
            // Three numbers of 21 bits, whose sum is near enough to a normal one.
            uint64_t bits = mixed(row + (uint64_t)x * 0x9E3779B97F4A7C15u);
            int sum = (int)(bits & mask) + (int)(bits >> 21 & mask) + (int)(bits >> 42 & mask);
            float by = sums[x] + (float)(sum - 3 * (mask / 2)) * fine;
            float dx = (x + 0.5f) * 2 / width - 1, far = (dx * dx + dy * dy) / 2;
            float keep = 1 - (float)vignette * far * far;
            for (int b = 0; b < 3; b++) p[b] = rounded(p[b] * keep + by);
        }
    }
}
