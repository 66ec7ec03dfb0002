// Noise for pictures that are made up: demo pictures, benchmark pictures, fixtures of tests. The product
// doesn't link it. 8-bit RGB rows without gaps; equal seeds give equal pixels.
#pragma once
#include <stdint.h>

/// Fractal noise that lightens and darkens by up to `strength` (0…1) of half the range; `scale` is the
/// size of the largest patches in pixels.
void noise_patches(uint8_t *_Nonnull rgb, int width, int height, uint64_t seed, double scale,
                   double strength, int octaves);
/// Noise of its own for each pixel; 0.03 is film, 0.1 coarse.
void noise_grain(uint8_t *_Nonnull rgb, int width, int height, uint64_t seed, double strength);
/// Grain, two octaves of patches and darker corners in one pass, cheaper than one after the other.
void noise_finish(uint8_t *_Nonnull rgb, int width, int height, uint64_t seed, double grain,
                  double patches, double scale, double vignette);
