// OpenEXR pictures from memory: a door in C to a library in C++.
//
// Nothing throws across it: what goes wrong is words in the caller's buffer.

#ifndef VITRINE_EXR_H
#define VITRINE_EXR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct exr_picture exr_picture;

/// Opens the first part. `bytes` outlive the picture, which belongs to one thread at a time.
/// - Returns: NULL, with a sentence in `message`, for what is no picture in colours or grey.
exr_picture *_Nullable exr_open(
    const uint8_t *_Nullable bytes, size_t count, char *_Nonnull message, size_t message_size);

void exr_close(exr_picture *_Nullable picture);

int32_t exr_width(const exr_picture *_Nonnull picture);
int32_t exr_height(const exr_picture *_Nonnull picture);
int32_t exr_has_alpha(const exr_picture *_Nonnull picture);

/// Reads one row, 0 at the top; in order is fastest.
/// - Parameter halves: room for `width` pixels of red, green, blue and alpha as IEEE 754 binary16;
///   linear light, colours multiplied with alpha.
/// - Returns: 0, or -1 with a sentence in `message`.
int32_t exr_read_row(
    exr_picture *_Nonnull picture, int32_t row, uint16_t *_Nonnull halves, char *_Nonnull message,
    size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
