// libwebp's encoder, with the settings that every thumbnail has.
#pragma once
#include <webp/encode.h>

// Planes of limited range at 4:2:0.
typedef struct {
    int width, height;
    const uint8_t *y, *u, *v;
    int yStride, uvStride;
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
    // Read only: libwebp changes planes with alpha alone.
    picture.y = (uint8_t *)pixels.y;
    picture.u = (uint8_t *)pixels.u;
    picture.v = (uint8_t *)pixels.v;
    picture.y_stride = pixels.yStride;
    picture.uv_stride = pixels.uvStride;
    int status = WebPEncode(&config, &picture) ? 0 : picture.error_code;
    // Planes of the caller stay.
    WebPPictureFree(&picture);
    return status;
}
