#include "CVips.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

struct vitrine_vips_functions vitrine_vips;
static void *opened;

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
    opened = library;
    return NULL;
}

const char *vitrine_library_text(const char *function) {
    const char *(*ask)(void) = opened ? (const char *(*)(void))dlsym(opened, function) : NULL;
    return ask ? ask() : NULL;
}

int vitrine_library_number(const char *function) {
    int (*ask)(void) = opened ? (int (*)(void))dlsym(opened, function) : NULL;
    return ask ? ask() : 0;
}

// libvips may hold it, or have a module that loads it by the name of its interface since 2018.
static void *heif(void) {
    if (opened && dlsym(opened, "heif_get_version")) return opened;
    if (dlsym(NULL, "heif_get_version")) return NULL;
    return dlopen("libheif.so.1", RTLD_LAZY);
}

size_t vitrine_avif_versions(char *text, size_t room) {
    void *library = heif();
    const char *(*version)(void) = (const char *(*)(void))dlsym(library, "heif_get_version");
    void *(*allocate)(void) = (void *(*)(void))dlsym(library, "heif_context_alloc");
    void (*release)(void *) = (void (*)(void *))dlsym(library, "heif_context_free");
    int (*find)(void *, int, const char *, const void **, int) =
        (int (*)(void *, int, const char *, const void **, int))dlsym(
            library, "heif_context_get_encoder_descriptors");
    const char *(*name)(const void *) =
        (const char *(*)(const void *))dlsym(library, "heif_encoder_descriptor_get_name");
    if (!version || !allocate || !release || !find || !name) return 0;
    // A context loads plugins. AV1 is 4 in heif_compression_format; the first encoder is the one it uses.
    void *context = allocate();
    const void *first = NULL;
    int length = 0;
    if (context && find(context, 4, NULL, &first, 1) > 0)
        length = snprintf(text, room, "%s %s", version(), name(first));
    if (context) release(context);
    return length > 0 && (size_t)length < room ? (size_t)length : 0;
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

uint32_t vitrine_crc32(const void *bytes, size_t count) {
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, count);
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
