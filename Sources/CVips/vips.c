#include "CVips.h"

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

struct vitrine_vips_functions vitrine_vips;

const char *vitrine_vips_open(void) {
    // The name of its interface since 2014. Libraries below it are found by their functions' names, too.
    void *library = dlopen("libvips.so.42", RTLD_LAZY | RTLD_GLOBAL);
    if (!library) return dlerror();
    struct vitrine_vips_functions found;
#define VITRINE_VIPS_FIND(name)                                                                    \
    found.name = (__typeof__(found.name))dlsym(library, #name);                                    \
    if (!found.name) return "libvips has no " #name;
    VITRINE_VIPS_FUNCTIONS(VITRINE_VIPS_FIND)
    vitrine_vips = found;
    return NULL;
}

ptrdiff_t vitrine_gunzip(const void *bytes, size_t count, void *to, size_t room,
                         vitrine_gunzip_end *end) {
    z_stream stream = {0};
    *end = VITRINE_GUNZIP_DAMAGED;
    // 15 bits of window; 16 more ask for gzip's format.
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = count < UINT32_MAX ? (uInt)count : UINT32_MAX;
    stream.next_out = to;
    stream.avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    int status = inflate(&stream, Z_SYNC_FLUSH);
    if (status == Z_STREAM_END) *end = VITRINE_GUNZIP_WHOLE;
    else if (status != Z_OK && status != Z_BUF_ERROR) *end = VITRINE_GUNZIP_DAMAGED;
    else *end = stream.avail_out == 0 ? VITRINE_GUNZIP_MORE : VITRINE_GUNZIP_CUT;
    ptrdiff_t done = (ptrdiff_t)stream.total_out;
    inflateEnd(&stream);
    return *end == VITRINE_GUNZIP_DAMAGED ? 0 : done;
}

static unsigned char lower(unsigned char letter) {
    return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
}

static bool matches(const unsigned char *text, const unsigned char *wanted, size_t length) {
    for (size_t at = 0; at < length; at++) {
        if (lower(text[at]) != lower(wanted[at])) return false;
    }
    return true;
}

size_t vitrine_find(const void *bytes, size_t count, size_t start, const void *text, size_t length) {
    const unsigned char *from = bytes;
    for (size_t at = start; length <= count && at <= count - length; at++) {
        if (matches(from + at, text, length)) return at;
    }
    return count;
}
