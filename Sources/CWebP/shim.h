// libwebp: its encoder with the settings that every thumbnail has, and its decoder into planes.
#pragma once
#include <webp/decode.h>
#include <webp/encode.h>

// Planes of limited range at 4:2:0.
typedef struct {
    int width, height;
    const uint8_t *y, *u, *v;
    int yStride, uvStride;
    // Straight; NULL for an opaque picture.
    const uint8_t *a;
    int aStride;
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
    // libwebp changes colors where an alpha is 0, and nothing without one.
    picture.y = (uint8_t *)pixels.y;
    picture.u = (uint8_t *)pixels.u;
    picture.v = (uint8_t *)pixels.v;
    picture.y_stride = pixels.yStride;
    picture.uv_stride = pixels.uvStride;
    if (pixels.a) {
        picture.colorspace = WEBP_YUV420A;
        picture.a = (uint8_t *)pixels.a;
        picture.a_stride = pixels.aStride;
    }
    int status = WebPEncode(&config, &picture) ? 0 : picture.error_code;
    // Planes of the caller stay.
    WebPPictureFree(&picture);
    return status;
}

// Planes of limited range at 4:2:0 that a picture is decoded into, and its alpha; `a` is NULL without one.
typedef struct {
    int width, height;
    uint8_t *y, *u, *v, *a;
    size_t yStride, uvStride;
} vitrine_webp_planes;

// Decodes a picture that doesn't move and has that size, whole. Returns 0, or another number if it can't.
static inline int vitrine_webp_decode(const uint8_t *bytes, size_t count, vitrine_webp_planes to) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return -1;
    if (WebPGetFeatures(bytes, count, &config.input) != VP8_STATUS_OK
        || config.input.has_animation || (config.input.has_alpha && !to.a)
        || config.input.width != to.width || config.input.height != to.height)
        return -1;
    size_t rows = (size_t)to.height, colorRows = (rows + 1) / 2;
    WebPYUVABuffer *planes = &config.output.u.YUVA;
    config.output.colorspace = to.a ? MODE_YUVA : MODE_YUV;
    config.output.is_external_memory = 1;
    planes->y = to.y, planes->u = to.u, planes->v = to.v, planes->a = to.a;
    planes->y_stride = planes->a_stride = (int)to.yStride;
    planes->u_stride = planes->v_stride = (int)to.uvStride;
    planes->y_size = planes->a_size = to.yStride * rows;
    planes->u_size = planes->v_size = to.uvStride * colorRows;
    int status = (int)WebPDecode(bytes, count, &config);
    WebPFreeDecBuffer(&config.output);
    return status;
}
