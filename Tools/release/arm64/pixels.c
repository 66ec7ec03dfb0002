// Everything else of CPixels: pixels and cosine terms. Prints a digest of the bytes of each case.
#include "pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"

static int value(int i) { return (i * 73 ^ (i * i) >> 5 ^ i >> 3) & 0xFF; }

static uint8_t *made(size_t count) {
    uint8_t *bytes = malloc(count);
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)value((int)i);
    return bytes;
}

static void say(const char *what, int number, const void *bytes, size_t count) {
    printf("%s %d %016llx\n", what, number, (unsigned long long)digest(bytes, count));
}

static void pixels_are_turned(void) {
    enum { width = 70, height = 45 };
    for (int bands = 1; bands <= 4; bands++) {
        size_t count = (size_t)width * height * bands;
        uint8_t *from = made(count), *to = malloc(count), *back = malloc(count);
        for (int orientation = 1; orientation <= 8; orientation++) {
            int isTurned = orientation >= 5;
            // 6 and 8 undo each other; every other one undoes itself.
            int undo = orientation == 6 ? 8 : orientation == 8 ? 6 : orientation;
            pixels_orient(from, width, height, bands, orientation, to);
            pixels_orient(to, isTurned ? height : width, isTurned ? width : height, bands, undo, back);
            claim("turning back gives the picture", memcmp(from, back, count) == 0);
            say("orient", bands * 10 + orientation, to, count);
        }
        free(from), free(to), free(back);
    }
}

static void colors_are_laid_over_the_background(void) {
    enum { count = 4096 };
    uint8_t *rgba = made(4 * count), *rgb = malloc(3 * count), *grown = malloc(4 * count);
    pixels_flatten(rgba, count, 10, 200, 255, rgb);
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        const int under[3] = {10, 200, 255};
        for (int b = 0; b < 3; b++) {
            double part = rgba[4 * i + 3] / 255.0, want = rgba[4 * i + b] * part + under[b] * (1 - part);
            wrong += fabs(rgb[3 * i + b] - want) > 0.5;
        }
    }
    claim("alpha is weighed and rounded", wrong == 0);
    say("flatten", 0, rgb, 3 * count);
    claim("a picture with alpha is not opaque", !pixels_is_opaque(rgba, count));
    for (int i = 0; i < count; i++) rgba[4 * i + 3] = 255;
    claim("a picture of alpha 255 is opaque", pixels_is_opaque(rgba, count));
    rgba[4 * count - 1] = 254;
    claim("the last pixel counts", !pixels_is_opaque(rgba, count));
    pixels_expand_gray_alpha(rgba, count, grown);
    say("gray and alpha", 0, grown, 4 * count);
    pixels_threshold(grown, 4 * count, 100);
    for (int i = 0; i < count; i++) wrong += grown[4 * i] != (rgba[2 * i] < 100 ? 0 : 255);
    claim("gray is black below the threshold", wrong == 0);
    free(rgba), free(rgb), free(grown);
}

static void rows_are_halved(void) {
    for (int width = 1; width <= 70; width++)
        for (int bands = 1; bands <= 3; bands += 2)
            for (int alone = 0; alone < 2; alone++) {
                uint8_t *top = made((size_t)width * bands), *bottom = made((size_t)width * bands + 50) + 50;
                uint8_t to[300];
                int wrong = 0, half = (width + 1) / 2;
                pixels_halve(top, bottom, width, bands, alone, to);
                for (int x = 0; x < half; x++)
                    for (int b = 0; b < bands; b++) {
                        int left = 2 * x - (width % 2 && alone), right = left + 1;
                        if (left < 0) left = 0;
                        if (right >= width) right = left;
                        int sum = top[left * bands + b] + top[right * bands + b] + bottom[left * bands + b] +
                                  bottom[right * bands + b];
                        wrong += to[x * bands + b] != (sum + 2) / 4;
                    }
                claim("a pixel of half the width is the mean of four", wrong == 0);
                say("halve", width * 100 + bands * 10 + alone, to, (size_t)half * bands);
                free(top), free(bottom - 50);
            }
}

static void cosine_terms_are_sums(void) {
    const int sizes[][4] = {{100, 100, 7, 7}, {67, 100, 5, 7}, {100, 56, 7, 3},
                            {1, 1, 3, 3}, {32, 9, 8, 8}, {13, 100, 1, 7}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int width = sizes[s][0], height = sizes[s][1], nx = sizes[s][2], ny = sizes[s][3], count = 0;
        double *channel = malloc(sizeof(double) * width * height), terms[64] = {0};
        for (int i = 0; i < width * height; i++) channel[i] = value(i) / 255.0;
        pixels_cosine_terms(channel, width, height, nx, ny, terms);
        for (int cy = 0; cy < ny; cy++)
            for (int cx = 0; cx * ny < nx * (ny - cy); cx++) {
                double sum = 0;
                for (int i = 0; i < width * height; i++)
                    sum += channel[i] * cos(M_PI / width * cx * (i % width + 0.5)) *
                           cos(M_PI / height * cy * (i / width + 0.5));
                claim("a cosine term is the sum that defines it",
                      fabs(terms[count++] - sum / (width * height)) < 1e-12);
            }
        say("cosine terms", (int)s, terms, sizeof terms);
        free(channel);
    }
}

int main(void) {
    pixels_are_turned();
    colors_are_laid_over_the_background();
    rows_are_halved();
    cosine_terms_are_sums();
    return claims_end();
}
