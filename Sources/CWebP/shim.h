// libwebp's encoder, with the settings that every thumbnail has.
#pragma once
#include <webp/encode.h>

// Pixels to encode: either planes of limited range at 4:2:0, or `interleaved` rows of 3 or 4 bands.
typedef struct {
    int width, height;
    const uint8_t *y, *u, *v;
    int yStride, uvStride;
    const uint8_t *interleaved;
    int bands;
} vitrine_webp_pixels;

// Appends a file without metadata to the writer, whose memory can be used again. Returns an error code
// of libwebp, or 0.
static inline int vitrine_webp_encode(vitrine_webp_pixels pixels, int quality, int effort,
                                      WebPMemoryWriter *to) {
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, (float)quality)
        || !WebPPictureInit(&picture))
        return VP8_ENC_ERROR_INVALID_CONFIGURATION;
    config.method = effort;
    picture.width = pixels.width;
    picture.height = pixels.height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = to;
    int isReady = 1;
    if (pixels.interleaved) {
        int stride = pixels.width * pixels.bands;
        isReady = pixels.bands == 4 ? WebPPictureImportRGBA(&picture, pixels.interleaved, stride)
                                    : WebPPictureImportRGB(&picture, pixels.interleaved, stride);
    } else {
        // Read only: libwebp changes planes with alpha alone.
        picture.y = (uint8_t *)pixels.y;
        picture.u = (uint8_t *)pixels.u;
        picture.v = (uint8_t *)pixels.v;
        picture.y_stride = pixels.yStride;
        picture.uv_stride = pixels.uvStride;
    }
    int status = isReady && WebPEncode(&config, &picture) ? 0 : picture.error_code;
    if (!isReady && status == 0) status = VP8_ENC_ERROR_OUT_OF_MEMORY;
    // Frees what was imported; planes of the caller stay.
    WebPPictureFree(&picture);
    return status;
}
