#include <math.h>

#include "pixels.h"

// The sums run in the order of the published algorithm, pixel after pixel: of a picture in one color
// the terms are rounding errors, and those are part of its hash as well.
void pixels_cosine_terms(const double *channel, int width, int height, int nx, int ny,
                         double *terms) {
    enum { most = 8 };  // terms of one row, side by side so that they are added at once
    double across[100][most];
    for (int x = 0; x < width; x++)
        for (int cx = 0; cx < most; cx++)
            across[x][cx] = cx < nx ? cos(M_PI / width * cx * (x + 0.5)) : 0;
    for (int cy = 0; cy < ny; cy++) {
        // Sums beyond the row's terms are not used.
        double sums[most] = {0};
        int count = 0;
        while (count < most && count * ny < nx * (ny - cy)) count++;
        for (int y = 0; y < height; y++) {
            double down = cos(M_PI / height * cy * (y + 0.5));
            for (int x = 0; x < width; x++) {
                double value = channel[x + y * width];
                for (int cx = 0; cx < most; cx++) sums[cx] += value * across[x][cx] * down;
            }
        }
        for (int cx = 0; cx < count; cx++) *terms++ = sums[cx] / (width * height);
    }
}
