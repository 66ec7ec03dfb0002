// OpenJPEG: JPEG 2000 at a part of its resolution.
#pragma once
#include <openjpeg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t count, at;
} vitrine_jp2_source;

static inline OPJ_SIZE_T vitrine_jp2_read(void *to, OPJ_SIZE_T most, void *from) {
    vitrine_jp2_source *source = (vitrine_jp2_source *)from;
    size_t left = source->count - source->at, count = most < left ? most : left;
    if (count == 0) return (OPJ_SIZE_T)-1;
    memcpy(to, source->bytes + source->at, count);
    source->at += count;
    return count;
}

static inline OPJ_BOOL vitrine_jp2_seek(OPJ_OFF_T to, void *from) {
    vitrine_jp2_source *source = (vitrine_jp2_source *)from;
    if (to < 0 || (uint64_t)to > source->count) return OPJ_FALSE;
    source->at = (size_t)to;
    return OPJ_TRUE;
}

static inline OPJ_OFF_T vitrine_jp2_skip(OPJ_OFF_T count, void *from) {
    vitrine_jp2_source *source = (vitrine_jp2_source *)from;
    if (count < 0 || (uint64_t)count > source->count - source->at) return -1;
    source->at += (size_t)count;
    return count;
}

static inline void vitrine_jp2_complain(const char *message, void *isFine) {
    (void)message;
    *(bool *)isFine = false;
}

// Returns by how many halvings all components can be reduced.
static inline OPJ_UINT32 vitrine_jp2_halvings(opj_codec_t *codec) {
    opj_codestream_info_v2_t *info = opj_get_cstr_info(codec);
    if (!info) return 0;
    OPJ_UINT32 least = 33;
    const opj_tccp_info_t *components = info->m_default_tile_info.tccp_info;
    for (OPJ_UINT32 i = 0; components && i < info->nbcomps; i++)
        if (components[i].numresolutions < least) least = components[i].numresolutions;
    opj_destroy_cstr_info(&info);
    return least >= 1 && least <= 33 ? least - 1 : 0;
}

static inline bool vitrine_jp2_decode_all(opj_codec_t *codec, opj_stream_t *stream, OPJ_UINT32 halvings,
                                          uint64_t pixels, opj_image_t **image) {
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    if (!opj_setup_decoder(codec, &parameters) || !opj_decoder_set_strict_mode(codec, OPJ_TRUE)
        || !opj_read_header(stream, codec, image))
        return false;
    // A component takes four bytes for each pixel, whatever the header of the file says.
    if ((*image)->numcomps != 1 && (*image)->numcomps != 3) return false;
    OPJ_UINT32 most = vitrine_jp2_halvings(codec);
    if (halvings > most) halvings = most;
    if (((uint64_t)(*image)->x1 * (*image)->y1) >> 2 * halvings > pixels) return false;
    if (halvings && !opj_set_decoded_resolution_factor(codec, halvings)) return false;
    return opj_decode(codec, stream, *image) && opj_end_decompress(codec, stream);
}

// Decodes a picture whose sides are halved that often, or as often as its resolutions allow; a side is rounded up.
// `comps[0].factor` tells how often. Returns NULL at the first error or warning, for more pixels
// than that, and unless it has one or three components.
static inline opj_image_t *vitrine_jp2_decode(const uint8_t *bytes, size_t count, int halvings,
                                              uint64_t pixels) {
    vitrine_jp2_source source = {bytes, count, 0};
    bool isStream = count > 1 && bytes[0] == 0xFF && bytes[1] == 0x4F, isFine = true;
    opj_codec_t *codec = opj_create_decompress(isStream ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
    opj_image_t *image = NULL;
    if (codec && stream) {
        opj_set_error_handler(codec, vitrine_jp2_complain, &isFine);
        opj_set_warning_handler(codec, vitrine_jp2_complain, &isFine);
        opj_stream_set_user_data(stream, &source, NULL);
        opj_stream_set_user_data_length(stream, count);
        opj_stream_set_read_function(stream, vitrine_jp2_read);
        opj_stream_set_skip_function(stream, vitrine_jp2_skip);
        opj_stream_set_seek_function(stream, vitrine_jp2_seek);
        isFine = vitrine_jp2_decode_all(codec, stream, (OPJ_UINT32)halvings, pixels, &image) && isFine;
    }
    if (stream) opj_stream_destroy(stream);
    if (codec) opj_destroy_codec(codec);
    if (isFine && image && image->numcomps > 0) return image;
    if (image) opj_image_destroy(image);
    return NULL;
}

// Returns whether all components have unsigned bytes and that size.
static inline bool vitrine_jp2_is_bytes(const opj_image_t *image, OPJ_UINT32 width, OPJ_UINT32 height) {
    for (OPJ_UINT32 i = 0; i < image->numcomps; i++) {
        const opj_image_comp_t *c = &image->comps[i];
        if (c->prec != 8 || c->sgnd || c->w != width || c->h != height || !c->data
            || c->factor != image->comps[0].factor)
            return false;
    }
    return true;
}

// Writes a row of all components, side by side.
static inline void vitrine_jp2_row(const opj_image_t *image, size_t y, uint8_t *to) {
    OPJ_UINT32 count = image->numcomps;
    for (OPJ_UINT32 i = 0; i < count; i++) {
        const OPJ_INT32 *from = image->comps[i].data + y * image->comps[i].w;
        for (OPJ_UINT32 x = 0; x < image->comps[i].w; x++)
            to[(size_t)x * count + i] = from[x] < 0 ? 0 : from[x] > 255 ? 255 : (uint8_t)from[x];
    }
}
