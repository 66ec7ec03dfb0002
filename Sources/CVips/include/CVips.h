// libvips takes options as variadic name and value pairs, which Swift can't call. Each use has a
// function here, with the exact C type of every option and a NULL at the end.
//
// libvips and the hundred libraries below it are opened when the first picture needs them, see
// vitrine_vips_open: linking them would cost every start of the program 20 ms.
#pragma once
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <vips/vips.h>

// --- opening ------------------------------------------------------------------------------------

// Every function of libvips that is called here.
#define VITRINE_VIPS_FUNCTIONS(use)                                                                \
    use(vips_area_unref) use(vips_array_double_new) use(vips_bandjoin2) use(vips_bandjoin_const1)  \
    use(vips_blob_get) use(vips_block_untrusted_set) use(vips_cache_set_max)                       \
    use(vips_cache_set_max_files) use(vips_cache_set_max_mem) use(vips_cast)                       \
    use(vips_colourspace) use(vips_concurrency_set) use(vips_copy) use(vips_embed)                 \
    use(vips_error_buffer_copy) use(vips_error_clear) use(vips_extract_area)                       \
    use(vips_extract_band) use(vips_flatten) use(vips_gifload_buffer) use(vips_heifload_buffer)    \
    use(vips_heifsave_buffer) use(vips_icc_transform) use(vips_image_get_bands)                    \
    use(vips_image_get_blob) use(vips_image_get_format) use(vips_image_get_height)                 \
    use(vips_image_get_typeof) use(vips_image_get_width) use(vips_image_guess_interpretation)      \
    use(vips_image_hasalpha) use(vips_image_new_from_memory) use(vips_image_set_blob_copy)         \
    use(vips_image_set_kill) use(vips_image_set_progress) use(vips_image_write_to_buffer)          \
    use(vips_init) use(vips_jp2kload_buffer) use(vips_jpegload_buffer) use(vips_jpegsave_buffer)   \
    use(vips_jxlload_buffer) use(vips_linear1) use(vips_maplut) use(vips_openexrload)              \
    use(vips_operation_block_set) use(vips_pngload_buffer) use(vips_pngsave_buffer)                \
    use(vips_premultiply) use(vips_profile_load) use(vips_rad2float) use(vips_radload_buffer)      \
    use(vips_region_new) use(vips_region_prepare) use(vips_resize) use(vips_smartcrop)             \
    use(vips_svgload_buffer) use(vips_thread_shutdown) use(vips_tiffload_buffer)                   \
    use(vips_tracked_get_mem) use(vips_unpremultiply) use(vips_version_string)                     \
    use(vips_webpload_buffer) use(vips_webpsave_buffer)

struct vitrine_vips_functions {
#define VITRINE_VIPS_FIELD(name) __typeof__(name) *name;
    VITRINE_VIPS_FUNCTIONS(VITRINE_VIPS_FIELD)
#undef VITRINE_VIPS_FIELD
};

// NULL until libvips is open. Everything below calls through it.
extern struct vitrine_vips_functions vitrine_vips;

// Opens libvips, without starting it; call once. Returns NULL, or why it can't be opened.
const char *vitrine_vips_open(void);

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
}

// Lets libvips generate no code at run time: its results differ a little from those of its own code, and
// a child process can't have pages that are executable and were written.
static inline void vitrine_vips_no_vectors(void) {
    void (*vectors)(gboolean) = (void (*)(gboolean))dlsym(NULL, "vips_vector_set_enabled");
    if (vectors) vectors(FALSE);
}

// Versions of the libraries that libvips itself is linked with, by the function that tells it; NULL and 0
// without that function. Its modules and what these load don't count: they come and go.
const char *vitrine_library_text(const char *function);
int vitrine_library_number(const char *function);

// Forgets damage that the decoder of HEVC reported. Call it before each picture; a process decodes one at a time.
void vitrine_hevc_begin(void);
// Returns whether the decoder of HEVC has reported damage since.
bool vitrine_hevc_is_damaged(void);

// Writes the versions of libheif and of the encoder that it chooses for AVIF; returns their length, 0 if
// there is none. Loads the library unless libvips has, which may do that later only.
size_t vitrine_avif_versions(char *text, size_t room);

static inline void vitrine_vips_unref(VipsImage *image) { g_object_unref(image); }

static inline void vitrine_vips_on_progress(VipsImage *image, VipsProgress *progress, void *end) {
    (void)progress;
    if (g_get_monotonic_time() > *(gint64 *)end) vitrine_vips.vips_image_set_kill(image, TRUE);
}

static inline void vitrine_vips_free_end(gpointer end, GClosure *closure) {
    (void)closure;
    g_free(end);
}

// Stops making the image at its first report of progress after that time, on its own thread.
static inline void vitrine_vips_kill_after(VipsImage *image, int64_t microseconds) {
    gint64 *end = g_new(gint64, 1);
    *end = g_get_monotonic_time() + microseconds;
    vitrine_vips.vips_image_set_progress(image, TRUE);
    g_signal_connect_data(image, "eval", G_CALLBACK(vitrine_vips_on_progress), end,
                          vitrine_vips_free_end, (GConnectFlags)0);
}

// --- plain calls ----------------------------------------------------------------------------------

static inline int vitrine_vips_init(void) { return vitrine_vips.vips_init("vitrine"); }

static inline const char *vitrine_vips_version(void) { return vitrine_vips.vips_version_string(); }

// Blocks the loaders that libvips calls unsafe for untrusted files.
static inline void vitrine_vips_block_untrusted(void) { vitrine_vips.vips_block_untrusted_set(TRUE); }

static inline void vitrine_vips_allow(const char *loader) {
    vitrine_vips.vips_operation_block_set(loader, FALSE);
}

// Keeps no results of operations.
static inline void vitrine_vips_cache_nothing(void) {
    vitrine_vips.vips_cache_set_max(0);
    vitrine_vips.vips_cache_set_max_mem(0);
    vitrine_vips.vips_cache_set_max_files(0);
}

static inline void vitrine_vips_set_threads(int count) { vitrine_vips.vips_concurrency_set(count); }

static inline void vitrine_vips_thread_ends(void) { vitrine_vips.vips_thread_shutdown(); }

static inline size_t vitrine_vips_tracked_memory(void) { return vitrine_vips.vips_tracked_get_mem(); }

static inline void vitrine_vips_forget_errors(void) { vitrine_vips.vips_error_clear(); }

// Returns a copy of the last messages, to be freed by g_free.
static inline char *vitrine_vips_errors(void) { return vitrine_vips.vips_error_buffer_copy(); }

static inline int vitrine_vips_width(const VipsImage *image) {
    return vitrine_vips.vips_image_get_width(image);
}

static inline int vitrine_vips_height(const VipsImage *image) {
    return vitrine_vips.vips_image_get_height(image);
}

static inline int vitrine_vips_band_count(const VipsImage *image) {
    return vitrine_vips.vips_image_get_bands(image);
}

static inline gboolean vitrine_vips_has_alpha(VipsImage *image) {
    return vitrine_vips.vips_image_hasalpha(image);
}

static inline VipsBandFormat vitrine_vips_format(const VipsImage *image) {
    return vitrine_vips.vips_image_get_format(image);
}

static inline VipsInterpretation vitrine_vips_space(const VipsImage *image) {
    return vitrine_vips.vips_image_guess_interpretation(image);
}

// Returns the embedded ICC profile, which lives as long as the image; NULL without one.
static inline const void *vitrine_vips_profile(VipsImage *image, size_t *count) {
    const void *data = NULL;
    if (vitrine_vips.vips_image_get_typeof(image, VIPS_META_ICC_NAME) == 0) return NULL;
    if (vitrine_vips.vips_image_get_blob(image, VIPS_META_ICC_NAME, &data, count) == 0) return data;
    vitrine_vips.vips_error_clear();
    return NULL;
}

static inline void vitrine_vips_set_profile(VipsImage *image, const void *profile, size_t count) {
    vitrine_vips.vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, profile, count);
}

// Returns an image of 8-bit samples that stay where they are.
static inline VipsImage *vitrine_vips_borrow(const void *samples, size_t count, int width,
                                             int height, int bands) {
    return vitrine_vips.vips_image_new_from_memory(samples, count, width, height, bands,
                                                   VIPS_FORMAT_UCHAR);
}

static inline VipsRegion *vitrine_vips_region(VipsImage *image) {
    return vitrine_vips.vips_region_new(image);
}

// --- loading: the memory outlives the image, rows are read from the top ------------------------

// With `fail_on` an error fails the load, instead of leaving half of the picture gray.
#define VITRINE_LOAD "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR

// With `strict` a warning fails the load, too: libjpeg only warns of pixels that are missing before an end.
static inline int vitrine_vips_load_jpeg(const void *bytes, size_t count, int shrink, int strict,
                                         VipsImage **out) {
    return vitrine_vips.vips_jpegload_buffer(
        (void *)bytes, count, out, "shrink", shrink, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
        strict ? VIPS_FAIL_ON_WARNING : VIPS_FAIL_ON_ERROR, NULL);
}

static inline int vitrine_vips_load_png(const void *bytes, size_t count, VipsImage **out) {
    return vitrine_vips.vips_pngload_buffer((void *)bytes, count, out, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_gif(const void *bytes, size_t count, VipsImage **out) {
    return vitrine_vips.vips_gifload_buffer((void *)bytes, count, out, "page", 0, "n", 1, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_webp(const void *bytes, size_t count, VipsImage **out) {
    return vitrine_vips.vips_webpload_buffer((void *)bytes, count, out, "page", 0, "n", 1, VITRINE_LOAD, NULL);
}

// Without a page libvips reads the primary picture.
static inline int vitrine_vips_load_heif(const void *bytes, size_t count, VipsImage **out) {
    return vitrine_vips.vips_heifload_buffer((void *)bytes, count, out, VITRINE_LOAD, NULL);
}

// With `below` of 0 or more the page is that one of the page's own subdirectories.
static inline int vitrine_vips_load_tiff(const void *bytes, size_t count, int page, int below,
                                         VipsImage **out) {
    return vitrine_vips.vips_tiffload_buffer((void *)bytes, count, out, "page", page, "n", 1, "subifd", below,
                                             VITRINE_LOAD, NULL);
}

    // An SVG loaded from memory has no base address, so librsvg can't resolve links to other files.
static inline int vitrine_vips_load_svg(const void *bytes, size_t count, double scale,
                                        VipsImage **out) {
    return vitrine_vips.vips_svgload_buffer((void *)bytes, count, out, "scale", scale, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_jxl(const void *bytes, size_t count, VipsImage **out) {
    return vitrine_vips.vips_jxlload_buffer((void *)bytes, count, out, VITRINE_LOAD, NULL);
}

static inline int vitrine_vips_load_jp2(const void *bytes, size_t count, VipsImage **out) {
    return vitrine_vips.vips_jp2kload_buffer((void *)bytes, count, out, "page", 0, VITRINE_LOAD, NULL);
}

// Returns floats of linear light: red, green, blue and alpha. libvips opens OpenEXR by name only. It
// decodes files without tiles as a whole, which must go to memory: a child can't write to disk.
static inline int vitrine_vips_load_exr(const char *path, VipsImage **out) {
    return vitrine_vips.vips_openexrload(path, out, "memory", TRUE, VITRINE_LOAD, NULL);
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
    if (vitrine_vips.vips_radload_buffer((void *)bytes, count, &packed, VITRINE_LOAD, NULL) != 0) return -1;
    int status = vitrine_vips.vips_rad2float(packed, out, NULL);
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
ptrdiff_t vitrine_gunzip(const void *bytes, size_t count, void *to, size_t room,
                         vitrine_gunzip_end *end);

// Returns the checksum of zlib's, gzip's and PNG's.
uint32_t vitrine_crc32(const void *bytes, size_t count);

// Returns the index of the first occurrence of a text from `start` on, ignoring ASCII case. Returns
// `count` if the text doesn't occur.
size_t vitrine_find(const void *bytes, size_t count, size_t start, const void *text, size_t length);

// --- color -------------------------------------------------------------------------------------

// Uses the embedded profile, or `fallback` (NULL for none) if it is absent, broken or for another
// color space.
static inline int vitrine_vips_to_srgb_by_profile(VipsImage *in, const char *fallback,
                                                  VipsImage **out) {
    if (fallback)
        return vitrine_vips.vips_icc_transform(in, out, "srgb", "embedded", TRUE, "input_profile", fallback,
                                  "intent", VIPS_INTENT_RELATIVE, "depth", 8, NULL);
    return vitrine_vips.vips_icc_transform(in, out, "srgb", "embedded", TRUE, "intent", VIPS_INTENT_RELATIVE,
                              "depth", 8, NULL);
}

// Returns libvips' own profile of CMYK, to be released by vitrine_vips_unref_blob; NULL if there is none.
static inline VipsBlob *vitrine_vips_ink_profile(const void **bytes, size_t *count) {
    VipsBlob *profile = NULL;
    if (vitrine_vips.vips_profile_load("cmyk", &profile, NULL) != 0 || !profile) return NULL;
    *bytes = vitrine_vips.vips_blob_get(profile, count);
    return profile;
}

static inline void vitrine_vips_unref_blob(VipsBlob *blob) {
    vitrine_vips.vips_area_unref((VipsArea *)blob);
}

static inline int vitrine_vips_to_deep_srgb(VipsImage *in, VipsImage **out) {
    return vitrine_vips.vips_icc_transform(in, out, "srgb", "embedded", TRUE, "intent", VIPS_INTENT_RELATIVE,
                              "depth", 16, NULL);
}

// Replaces each 16-bit sample by one of 65,536 bytes, which are copied.
static inline int vitrine_vips_mapped(VipsImage *in, const unsigned char *bytes, VipsImage **out) {
    VipsImage *borrowed = vitrine_vips_borrow(bytes, 65536, 65536, 1, 1), *table = NULL, *mapped = NULL;
    if (!borrowed) return -1;
    int status = vitrine_vips.vips_copy(borrowed, &table, "interpretation", VIPS_INTERPRETATION_HISTOGRAM, NULL);
    if (status == 0) status = vitrine_vips.vips_maplut(in, &mapped, table, NULL);
    if (status == 0) status = vitrine_vips.vips_copy(mapped, out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
    g_object_unref(borrowed);
    if (table) g_object_unref(table);
    if (mapped) g_object_unref(mapped);
    return status;
}

static inline int vitrine_vips_to_space(VipsImage *in, VipsInterpretation space, VipsImage **out) {
    return vitrine_vips.vips_colourspace(in, out, space, NULL);
}

static inline int vitrine_vips_to_bytes(VipsImage *in, VipsImage **out) {
    return vitrine_vips.vips_cast(in, out, VIPS_FORMAT_UCHAR, NULL);
}

// Returns the upper bytes of 16-bit samples.
static inline int vitrine_vips_upper_bytes(VipsImage *in, VipsImage **out) {
    return vitrine_vips.vips_cast(in, out, VIPS_FORMAT_UCHAR, "shift", TRUE, NULL);
}

// Returns samples times a factor, clipped to what the format can hold.
static inline int vitrine_vips_scaled(VipsImage *in, double factor, VipsBandFormat format,
                                      VipsImage **out) {
    VipsImage *scaled = NULL;
    if (vitrine_vips.vips_linear1(in, &scaled, factor, 0.5, NULL) != 0) return -1;
    int status = vitrine_vips.vips_cast(scaled, out, format, NULL);
    g_object_unref(scaled);
    return status;
}

static inline int vitrine_vips_last_band(VipsImage *in, VipsImage **out) {
    return vitrine_vips.vips_extract_band(in, out, vitrine_vips.vips_image_get_bands(in) - 1, NULL);
}

static inline int vitrine_vips_joined(VipsImage *colors, VipsImage *alpha, VipsImage **out) {
    return vitrine_vips.vips_bandjoin2(colors, alpha, out, NULL);
}

// Makes everything outside of an area transparent. The image has no alpha before.
static inline int vitrine_vips_only(VipsImage *in, int left, int top, int width, int height,
                                    VipsImage **out) {
    VipsImage *area = NULL, *opaque = NULL;
    int status = vitrine_vips.vips_extract_area(in, &area, left, top, width, height, NULL);
    if (status == 0) status = vitrine_vips.vips_bandjoin_const1(area, &opaque, 255, NULL);
    if (status == 0)
        status = vitrine_vips.vips_embed(opaque, out, left, top,
                                         vitrine_vips.vips_image_get_width(in),
                                         vitrine_vips.vips_image_get_height(in), NULL);
    if (area) g_object_unref(area);
    if (opaque) g_object_unref(opaque);
    return status;
}

static inline int vitrine_vips_bands(VipsImage *in, int count, VipsImage **out) {
    return vitrine_vips.vips_extract_band(in, out, 0, "n", count, NULL);
}

static inline int vitrine_vips_as(VipsImage *in, VipsInterpretation space, VipsImage **out) {
    return vitrine_vips.vips_copy(in, out, "interpretation", space, NULL);
}

// --- resizing and framing ------------------------------------------------------------------------

// Resizes 8-bit samples with Lanczos3 after averaging whole pixels down to at most four times the size.
// Colors are weighed by their alpha.
static inline int vitrine_vips_resized(VipsImage *in, double across, double down, VipsImage **out) {
    if (!vitrine_vips.vips_image_hasalpha(in))
        return vitrine_vips.vips_resize(in, out, across, "vscale", down, NULL);
    VipsImage *weighed = NULL, *resized = NULL, *straight = NULL;
    int status = vitrine_vips.vips_premultiply(in, &weighed, NULL);
    if (status == 0)
        status = vitrine_vips.vips_resize(weighed, &resized, across, "vscale", down, NULL);
    if (status == 0) status = vitrine_vips.vips_unpremultiply(resized, &straight, NULL);
    if (status == 0) status = vitrine_vips_scaled(straight, 1, VIPS_FORMAT_UCHAR, out);
    if (weighed) g_object_unref(weighed);
    if (resized) g_object_unref(resized);
    if (straight) g_object_unref(straight);
    return status;
}

static inline int vitrine_vips_crop(VipsImage *in, int left, int top, int width, int height,
                                    VipsImage **out) {
    return vitrine_vips.vips_extract_area(in, out, left, top, width, height, NULL);
}

static inline int vitrine_vips_smart_crop(VipsImage *in, int width, int height,
                                          VipsInteresting interest, VipsImage **out) {
    return vitrine_vips.vips_smartcrop(in, out, width, height, "interesting", interest, NULL);
}

// Puts an image on a ground of one color, which also shows through it.
static inline int vitrine_vips_on_ground(VipsImage *in, int left, int top, int width, int height,
                                         const double *color, int bands, VipsImage **out) {
    VipsArrayDouble *ground = vitrine_vips.vips_array_double_new(color, bands);
    VipsImage *flat = NULL;
    int status = vitrine_vips.vips_image_hasalpha(in)
                     ? vitrine_vips.vips_flatten(in, &flat, "background", ground, NULL)
                     : vitrine_vips.vips_copy(in, &flat, NULL);
    if (status == 0)
        status = vitrine_vips.vips_embed(flat, out, left, top, width, height, "extend",
                                         VIPS_EXTEND_BACKGROUND, "background", ground, NULL);
    if (flat) g_object_unref(flat);
    vitrine_vips.vips_area_unref((VipsArea *)ground);
    return status;
}

// --- rows ---------------------------------------------------------------------------------------

static inline int vitrine_vips_prepare(VipsRegion *region, int top, int width, int height) {
    VipsRect rows = {0, top, width, height};
    return vitrine_vips.vips_region_prepare(region, &rows);
}

static inline const void *vitrine_vips_row(VipsRegion *region, int top) {
    // The prepared rows are as wide as the picture.
    return region->data + (size_t)(top - region->valid.top) * (size_t)region->bpl;
}

static inline size_t vitrine_vips_stride(VipsRegion *region) { return VIPS_REGION_LSKIP(region); }

static inline void vitrine_vips_unref_region(VipsRegion *region) { g_object_unref(region); }

// --- saving: pixels without metadata ------------------------------------------------------------

#if VIPS_MAJOR_VERSION > 8 || VIPS_MINOR_VERSION >= 15
#define VITRINE_BARE "keep", VIPS_FOREIGN_KEEP_NONE
#else
#define VITRINE_BARE "strip", TRUE
#endif

// 4:2:0, without alpha: `ground` shows through, of as many bands as the colors.
static inline int vitrine_vips_save_jpeg(VipsImage *in, int quality, const double *ground, int bands,
                                         void **bytes, size_t *count) {
    VipsArrayDouble *background = vitrine_vips.vips_array_double_new(ground, bands);
    int status = vitrine_vips.vips_jpegsave_buffer(
        in, bytes, count, "Q", quality, "subsample_mode", VIPS_FOREIGN_SUBSAMPLE_ON, "background",
        background, VITRINE_BARE, NULL);
    vitrine_vips.vips_area_unref((VipsArea *)background);
    return status;
}

static inline int vitrine_vips_save_webp(VipsImage *in, int quality, int effort, void **bytes,
                                         size_t *count) {
    return vitrine_vips.vips_webpsave_buffer(in, bytes, count, "Q", quality, "effort", effort,
                                             VITRINE_BARE, NULL);
}

// 4:2:0. At useful efforts libaom stays on the calling thread (measured), and its threads never
// change the bytes.
static inline int vitrine_vips_save_avif(VipsImage *in, int quality, int effort, void **bytes,
                                         size_t *count) {
    return vitrine_vips.vips_heifsave_buffer(in, bytes, count, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1,
                                "Q", quality, "effort", effort, "subsample_mode",
                                VIPS_FOREIGN_SUBSAMPLE_ON, VITRINE_BARE, NULL);
}

// Writes a file with the options and the metadata that the suffix says: `.tif[compression=lzw]`. For pictures
// that the program itself draws.
static inline int vitrine_vips_save_as(VipsImage *in, const char *suffix, void **bytes, size_t *count) {
    return vitrine_vips.vips_image_write_to_buffer(in, suffix, bytes, count, NULL);
}

// Returns sRGB as CMYK of libvips' own profile.
static inline int vitrine_vips_to_ink(VipsImage *in, VipsImage **out) {
    return vitrine_vips.vips_icc_transform(in, out, "cmyk", "input_profile", "srgb", "depth", 8, NULL);
}

// Filters cost little and save a third of a photograph's bytes.
static inline int vitrine_vips_save_png(VipsImage *in, int compression, void **bytes,
                                        size_t *count) {
    return vitrine_vips.vips_pngsave_buffer(in, bytes, count, "compression", compression, "filter",
                               VIPS_FOREIGN_PNG_FILTER_ALL, VITRINE_BARE, NULL);
}
