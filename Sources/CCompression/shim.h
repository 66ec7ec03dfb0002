// zlib's deflateInit2 is a macro, which Swift can't call.
#pragma once
#include <brotli/encode.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
