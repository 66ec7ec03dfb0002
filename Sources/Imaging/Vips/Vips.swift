import CPixels
import CVips

/// libvips as a whole: started once a process, never stopped.
enum Vips {
    /// Starts libvips the first time; later calls cost nothing.
    static func start() throws(ImagingError) {
        try started.get()
    }

    private static let started: Result<Void, ImagingError> = {
        guard vips_init("vitrine") == 0 else {
            return .failure(.misconfigured(reason: "libvips does not start: \(errorText())"))
        }
        // Loaders that libvips itself calls unsafe for what strangers send: PDF, ImageMagick, ….
        vips_block_untrusted_set(1)
        // But not these: what they get is looked through here before.
        for loader in ["VipsForeignLoadSvg", "VipsForeignLoadJxl", "VipsForeignLoadJp2k"] {
            vips_operation_block_set(loader, 0)
        }
        // No two pictures are alike, so there is nothing to find again in a cache of operations.
        vips_cache_set_max(0)
        vips_cache_set_max_mem(0)
        vips_cache_set_max_files(0)
        // Pictures are rendered side by side, a thread each; more threads for one only cost.
        vips_concurrency_set(1)
        vitrine_vips_silence()
        return .success(())
    }()

    /// Allows loaders that nothing but a child process calls.
    static func allowLoadersOfChildren() {
        for loader in ["VipsForeignLoadRad", "VipsForeignLoadOpenexr"] {
            vips_operation_block_set(loader, 0)
        }
    }

    /// Loads what would be opened when it is first used, for a process that will open nothing. Starts no
    /// thread.
    static func loadLibraries() { vitrine_load_libraries() }

    /// `8.14.1`.
    static var version: String { String(cString: vips_version_string()) }

    /// What the libraries that encode a format say they are, or are seen to do.
    static func encoderVersion(_ format: ThumbnailFormat) -> String {
        switch format {
        case .jpeg: jpegTrait
        case .webp: "\(vitrine_library_number("WebPGetEncoderVersion"))"
        case .avif: libraries("heif_get_version", "aom_codec_version_str")
        case .png:
            "\(vitrine_library_number("png_access_version_number")) \(libraries("zlibVersion"))"
        }
    }

    /// libjpeg doesn't say its version, and versions round differently: what it makes of a small
    /// picture tells them apart.
    private static let jpegTrait: String = {
        do throws(ImagingError) {
            let picture = try PixelBuffer(width: 48, height: 48, bands: 3)
            for index in 0..<picture.count {
                picture.bytes[index] = UInt8(truncatingIfNeeded: index &* index / 97 ^ index / 13)
            }
            let encoding = Encoding.jpeg(quality: 80, background: RGB(red: 0, green: 0, blue: 0))
            return Fingerprint.hex(try encoding.encode(picture))
        } catch {
            // Then no thumbnail will be encoded either.
            return "-"
        }
    }()

    private static func libraries(_ functions: String...) -> String {
        functions.map { vitrine_library_text($0).map { String(cString: $0) } ?? "-" }
            .joined(separator: " ")
    }

    /// Of our own pixel kernels.
    static var resamplerVersion: Int { Int(PIXELS_VERSION) }

    static var trackedMemory: Int { Int(vips_tracked_get_mem()) }

    /// To be called by every thread that used libvips before it ends.
    static func threadEnds() { vips_thread_shutdown() }

    /// An operation on a picture failed: with what libvips says of it.
    static func failure() -> ImagingError {
        let text = errorText()
        return .broken(reason: text.isEmpty ? "the decoder gives no reason" : text)
    }

    static func forgetErrors() { vips_error_clear() }

    /// What libvips said last, on one line; it is forgotten there. The text is shared by all threads
    /// and may be another picture's: only to be shown, never to decide by.
    static func errorText() -> String {
        guard let copy = vips_error_buffer_copy() else { return "" }
        defer { g_free(copy) }
        return DecoderWords.oneLine(String(cString: copy))
    }
}
