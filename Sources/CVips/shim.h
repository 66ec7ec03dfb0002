// libvips takes options as variadic name and value pairs, which Swift can't call. Each use has a
// function here, with the exact C type of every option and a NULL at the end.
#pragma once
#include <dlfcn.h>
#include <gio/gio.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <vips/vips.h>

// --- process ------------------------------------------------------------------------------------

static inline void vitrine_vips_ignore_log(const gchar *domain, GLogLevelFlags level,
                                           const gchar *message, gpointer data) {
    (void)domain, (void)level, (void)message, (void)data;
}

// libvips' warnings are about pictures and would flood standard error.
static inline void vitrine_vips_silence(void) {
    g_log_set_handler("VIPS", (GLogLevelFlags)(G_LOG_LEVEL_MASK & ~G_LOG_LEVEL_ERROR),
                      vitrine_vips_ignore_log, NULL);
}

// Names the calling thread; prctl is variadic, too.
static inline void vitrine_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// Linux keeps niceness per thread. A refusal only changes the order of work.
static inline void vitrine_nice_thread(int more) {
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + more);
}

// glibc's heap has eight arenas per core, each of which keeps freed memory; other heaps have none.
static inline void vitrine_bound_arenas(int most) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, most);
#else
    (void)most;
#endif
}

// Returns free pages of the heap to the system.
static inline void vitrine_trim_heap(void) {
#ifdef M_ARENA_MAX
    malloc_trim(0);
#endif
}

// Keeps up to `kept` freed bytes at the end of the heap for the next render, which saves page faults.
static inline void vitrine_keep_heap(int kept) {
#ifdef M_ARENA_MAX
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, kept);
#else
    (void)kept;
#endif
}

// Returns free pages to the system if they are more than `kept` bytes.
static inline void vitrine_bound_heap(size_t kept) {
    (void)kept;
#ifdef M_ARENA_MAX
#if __GLIBC_PREREQ(2, 33)
    if (mallinfo2().fordblks > kept) malloc_trim(0);
#else
    malloc_trim(0);
#endif
#endif
}

// Loads what libraries below libvips would otherwise open at first use.
static inline void vitrine_load_libraries(void) {
    // struct heif_error, which is 16 bytes long; the parameters are optional.
    struct result {
        int code, subcode;
        const char *text;
    };
    struct result (*plugins)(void *) = (struct result (*)(void *))dlsym(NULL, "heif_init");
    if (plugins) plugins(NULL);
    // Code generated at run time would need pages that are writable and executable.
    void (*vectors)(gboolean) = (void (*)(gboolean))dlsym(NULL, "vips_vector_set_enabled");
    if (vectors) vectors(FALSE);
}

// Versions of libraries below libvips, some of them in its modules; looked up by name.
static inline const char *vitrine_library_text(const char *function) {
    const char *(*ask)(void) = (const char *(*)(void))dlsym(NULL, function);
    return ask ? ask() : NULL;
}

static inline int vitrine_library_number(const char *function) {
    int (*ask)(void) = (int (*)(void))dlsym(NULL, function);
    return ask ? ask() : 0;
}

static inline void vitrine_vips_unref(VipsImage *image) { g_object_unref(image); }

static inline void vitrine_vips_on_progress(VipsImage *image, VipsProgress *progress, void *end) {
    (void)progress;
    if (g_get_monotonic_time() > *(gint64 *)end) vips_image_set_kill(image, TRUE);
}

static inline void vitrine_vips_free_end(gpointer end, GClosure *closure) {
    (void)closure;
    g_free(end);
}

// Stops making the image at its first report of progress after that time, on its own thread.
static inline void vitrine_vips_kill_after(VipsImage *image, int64_t microseconds) {
    gint64 *end = g_new(gint64, 1);
    *end = g_get_monotonic_time() + microseconds;
    vips_image_set_progress(image, TRUE);
    g_signal_connect_data(image, "eval", G_CALLBACK(vitrine_vips_on_progress), end,
                          vitrine_vips_free_end, (GConnectFlags)0);
}

// --- loading: the memory outlives the image, rows are read from the top ------------------------

// With `fail_on` an error fails the load, instead of leaving half of the picture gray.
#define VITRINE_LOAD "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR

static inline int vitrine_vips_load_jpeg(const void *bytes, size_t count, int shrink,
                                         VipsImage **out) {
    return vips_jpegload_buffer((void *)bytes, count, out, "shrink", shrink, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_png(const void *bytes, size_t count, VipsImage **out) {
    return vips_pngload_buffer((void *)bytes, count, out, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_gif(const void *bytes, size_t count, VipsImage **out) {
    return vips_gifload_buffer((void *)bytes, count, out, "page", 0, "n", 1, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_webp(const void *bytes, size_t count, VipsImage **out) {
    return vips_webpload_buffer((void *)bytes, count, out, "page", 0, "n", 1, VITRINE_LOAD, NULL);
}

// Without a page libvips reads the primary picture.
static inline int vitrine_vips_load_heif(const void *bytes, size_t count, VipsImage **out) {
    return vips_heifload_buffer((void *)bytes, count, out, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_tiff(const void *bytes, size_t count, VipsImage **out) {
    return vips_tiffload_buffer((void *)bytes, count, out, "page", 0, "n", 1, VITRINE_LOAD, NULL);
}

    // An SVG loaded from memory has no base address, so librsvg can't resolve links to other files.
static inline int vitrine_vips_load_svg(const void *bytes, size_t count, double scale,
                                        VipsImage **out) {
    return vips_svgload_buffer((void *)bytes, count, out, "scale", scale, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_jxl(const void *bytes, size_t count, VipsImage **out) {
    return vips_jxlload_buffer((void *)bytes, count, out, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_jp2(const void *bytes, size_t count, VipsImage **out) {
    return vips_jp2kload_buffer((void *)bytes, count, out, "page", 0, VITRINE_LOAD, NULL);
}

// Returns floats of linear light: red, green, blue and alpha. libvips opens OpenEXR by name only. It
// decodes files without tiles as a whole, which must go to memory: a child can't write to disk.
static inline int vitrine_vips_load_exr(const char *path, VipsImage **out) {
    return vips_openexrload(path, out, "memory", TRUE, VITRINE_LOAD, NULL);
}

// The value of an opaque alpha.
#if VIPS_MAJOR_VERSION > 8 || VIPS_MINOR_VERSION >= 15
static const float vitrine_exr_opaque = 1;
#else
static const float vitrine_exr_opaque = 255;
#endif

// Returns floats of linear light, or of CIE XYZ.
static inline int vitrine_vips_load_rad(const void *bytes, size_t count, VipsImage **out) {
    VipsImage *packed = NULL;
    if (vips_radload_buffer((void *)bytes, count, &packed, VITRINE_LOAD, NULL) != 0) return -1;
    int status = vips_rad2float(packed, out, NULL);
    g_object_unref(packed);
    return status;
}

// Why inflating ended: at the end of the member, of the room or of the input, or at damaged data.
typedef enum {
    VITRINE_GUNZIP_WHOLE,
    VITRINE_GUNZIP_MORE,
    VITRINE_GUNZIP_CUT,
    VITRINE_GUNZIP_DAMAGED,
} vitrine_gunzip_end;

// Inflates a gzip member into `room` bytes; returns their number.
static inline ptrdiff_t vitrine_gunzip(const void *bytes, size_t count, void *to, size_t room,
                                       vitrine_gunzip_end *end) {
    GConverter *inflate = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    GConverterResult result = G_CONVERTER_CONVERTED;
    GError *error = NULL;
    size_t done = 0;
    while (result == G_CONVERTER_CONVERTED && done < room) {
        gsize taken = 0, made = 0;
        result = g_converter_convert(inflate, bytes, count, (char *)to + done, room - done,
                                     G_CONVERTER_INPUT_AT_END, &taken, &made, &error);
        if (result == G_CONVERTER_ERROR) break;
        bytes = (const char *)bytes + taken;
        count -= taken;
        done += made;
    }
    g_object_unref(inflate);
    if (result == G_CONVERTER_FINISHED) *end = VITRINE_GUNZIP_WHOLE;
    else if (result == G_CONVERTER_CONVERTED) *end = VITRINE_GUNZIP_MORE;
    else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT)) *end = VITRINE_GUNZIP_CUT;
    else *end = VITRINE_GUNZIP_DAMAGED;
    g_clear_error(&error);
    return *end == VITRINE_GUNZIP_DAMAGED ? 0 : (ptrdiff_t)done;
}

// Returns the index of the first occurrence of a text from `start` on, ignoring ASCII case. Returns
// `count` if the text doesn't occur.
static inline size_t vitrine_find(const void *bytes, size_t count, size_t start, const void *text,
                                  size_t length) {
    const char *from = bytes, *wanted = text;
    for (size_t at = start; length <= count && at <= count - length; at++) {
        if (g_ascii_tolower(from[at]) == g_ascii_tolower(*wanted)
            && g_ascii_strncasecmp(from + at, wanted, length) == 0)
            return at;
    }
    return count;
}

// --- color -------------------------------------------------------------------------------------

// Uses the embedded profile, or `fallback` (NULL for none) if it is absent, broken or for another
// color space.
static inline int vitrine_vips_to_srgb_by_profile(VipsImage *in, const char *fallback,
                                                  VipsImage **out) {
    if (fallback)
        return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "input_profile", fallback,
                                  "intent", VIPS_INTENT_RELATIVE, "depth", 8, NULL);
    return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "intent", VIPS_INTENT_RELATIVE,
                              "depth", 8, NULL);
}

static inline int vitrine_vips_to_space(VipsImage *in, VipsInterpretation space, VipsImage **out) {
    return vips_colourspace(in, out, space, NULL);
}

static inline int vitrine_vips_to_bytes(VipsImage *in, VipsImage **out) {
    return vips_cast(in, out, VIPS_FORMAT_UCHAR, NULL);
}

static inline int vitrine_vips_bands(VipsImage *in, int count, VipsImage **out) {
    return vips_extract_band(in, out, 0, "n", count, NULL);
}

static inline int vitrine_vips_as(VipsImage *in, VipsInterpretation space, VipsImage **out) {
    return vips_copy(in, out, "interpretation", space, NULL);
}

// --- rows ---------------------------------------------------------------------------------------

static inline int vitrine_vips_prepare(VipsRegion *region, int top, int width, int height) {
    VipsRect rows = {0, top, width, height};
    return vips_region_prepare(region, &rows);
}

static inline const void *vitrine_vips_row(VipsRegion *region, int top) {
    return VIPS_REGION_ADDR(region, 0, top);
}

static inline size_t vitrine_vips_stride(VipsRegion *region) { return VIPS_REGION_LSKIP(region); }

static inline void vitrine_vips_unref_region(VipsRegion *region) { g_object_unref(region); }

// --- saving: pixels without metadata ------------------------------------------------------------

#if VIPS_MAJOR_VERSION > 8 || VIPS_MINOR_VERSION >= 15
#define VITRINE_BARE "keep", VIPS_FOREIGN_KEEP_NONE
#else
#define VITRINE_BARE "strip", TRUE
#endif

// 4:2:0. At useful efforts libaom stays on the calling thread (measured), and its threads never
// change the bytes.
static inline int vitrine_vips_save_avif(VipsImage *in, int quality, int effort, void **bytes,
                                         size_t *count) {
    return vips_heifsave_buffer(in, bytes, count, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1,
                                "Q", quality, "effort", effort, "subsample_mode",
                                VIPS_FOREIGN_SUBSAMPLE_ON, VITRINE_BARE, NULL);
}

// Filters cost little and save a third of a photograph's bytes.
static inline int vitrine_vips_save_png(VipsImage *in, int compression, void **bytes,
                                        size_t *count) {
    return vips_pngsave_buffer(in, bytes, count, "compression", compression, "filter",
                               VIPS_FOREIGN_PNG_FILTER_ALL, VITRINE_BARE, NULL);
}
