// The weights of Lanczos3, widened for shrinking.
#pragma once
#include <stdint.h>

// Weights are Q14, samples between columns and rows Q6: 255 is 16320, which leaves room for what Lanczos
// overshoots.
enum { weightBits = 14, sampleBits = 6 };

// One half of a pair. It may be read and written where the pairs are int32.
typedef int16_t __attribute__((may_alias)) pixels_tap;

// For each output sample where its taps start and what they weigh: Q14, in pairs, one in each half of
// an int32. All have as many pairs as the longest, filled up with weights of 0.
typedef struct {
    int count, pairs;
    int32_t *starts;
    int32_t *weights;
} pixels_filter;

// Output sample i is centered on `(i + 0.5) * scale + offset`, where input sample j covers j to j + 1.
// With `isEven` every start is even. Returns 0, or -1 if memory is short.
int pixels_filter_make(pixels_filter *f, int from, double scale, double offset, int to,
                       int isEven);
void pixels_filter_free(pixels_filter *f);
