// zlib's deflateInit2 is a macro, which Swift can't call.
#pragma once
#include <brotli/encode.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

// Upper bound of what gzip makes of `count` bytes.
static inline size_t vitrine_gzip_bound(size_t count) {
    // What compressBound says of zlib's format, and a longer head and end.
    return (size_t)compressBound((uLong)count) + 32;
}

// Compresses bytes (RFC 1952). The result depends only on them and the level. Returns the number of
// bytes written to `to`, 0 if it fails. `count` fits into 32 bits.
static inline size_t vitrine_gzip(const uint8_t *from, size_t count, uint8_t *to, size_t room,
                                  int level) {
    z_stream stream = {0};
    // 15 bits of window; 16 more ask for gzip's format.
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)from;
    stream.avail_in = (uInt)count;
    stream.next_out = to;
    stream.avail_out = (uInt)room;
    bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    size_t written = (size_t)stream.total_out;
    deflateEnd(&stream);
    return done ? written : 0;
}

// Decompresses one content coding as its bytes arrive. Create one with vitrine_inflater_new, free it with
// vitrine_inflater_free.
typedef enum {
    // Gzip's format (RFC 1952).
    VITRINE_GZIP,
    // Zlib's format (RFC 1950).
    VITRINE_ZLIB,
    // Deflate alone (RFC 1951), as servers send it that took the coding's name literally.
    VITRINE_RAW_DEFLATE,
} vitrine_wrapping;

// What a call has come to.
typedef enum {
    // It has taken all input, or filled the output.
    VITRINE_INFLATE_GOES_ON,
    VITRINE_INFLATE_ENDED,
    VITRINE_INFLATE_DAMAGED,
} vitrine_inflate_state;

// Returns NULL if memory runs out.
static inline z_stream *vitrine_inflater_new(vitrine_wrapping wrapping) {
    z_stream *stream = (z_stream *)calloc(1, sizeof(z_stream));
    if (!stream) return NULL;
    // 15 bits of window; 16 more ask for gzip's format, and their negative for none.
    int bits = wrapping == VITRINE_GZIP ? 15 + 16 : wrapping == VITRINE_ZLIB ? 15 : -15;
    if (inflateInit2(stream, bits) == Z_OK) return stream;
    free(stream);
    return NULL;
}

static inline void vitrine_inflater_free(z_stream *stream) {
    inflateEnd(stream);
    free(stream);
}

// Begins with another stream of the same format.
static inline bool vitrine_inflater_again(z_stream *stream) { return inflateReset(stream) == Z_OK; }

// Decompresses as much as fits into `room` bytes. Afterwards `count` and `room` are what is left of each.
static inline vitrine_inflate_state vitrine_inflate(z_stream *stream, const uint8_t *from,
                                                    size_t *count, uint8_t *to, size_t *room) {
    uInt given = *count < UINT32_MAX ? (uInt)*count : UINT32_MAX;
    uInt free_bytes = *room < UINT32_MAX ? (uInt)*room : UINT32_MAX;
    stream->next_in = (Bytef *)from;
    stream->avail_in = given;
    stream->next_out = to;
    stream->avail_out = free_bytes;
    int status = inflate(stream, Z_NO_FLUSH);
    *count -= given - stream->avail_in;
    *room -= free_bytes - stream->avail_out;
    if (status == Z_STREAM_END) return VITRINE_INFLATE_ENDED;
    // Z_BUF_ERROR only says that there was nothing to do.
    return status == Z_OK || status == Z_BUF_ERROR ? VITRINE_INFLATE_GOES_ON
                                                   : VITRINE_INFLATE_DAMAGED;
}
