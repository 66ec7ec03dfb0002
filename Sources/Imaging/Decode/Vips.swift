import CPixels
import CVips

/// The library as a whole: started once per process, never stopped.
enum Vips {
    /// Starts libvips once; later calls cost nothing.
    ///
    /// - Throws: ``ImagingError/misconfigured(reason:)``
    static func start() throws(ImagingError) {
        try started.get()
    }

    private static let started: Result<Void, ImagingError> = {
        guard vips_init("vitrine") == 0 else {
            return .failure(.misconfigured(reason: "libvips does not start: \(errorText())"))
        }
        // Loaders that libvips calls unsafe for untrusted files: PDF, ImageMagick, ….
        vips_block_untrusted_set(1)
        // Except these, whose input is checked before.
        for loader in ["VipsForeignLoadSvg", "VipsForeignLoadJxl", "VipsForeignLoadJp2k"] {
            vips_operation_block_set(loader, 0)
        }
        // No two pictures are alike, so that a cache of operations would find nothing.
        vips_cache_set_max(0)
        vips_cache_set_max_mem(0)
        vips_cache_set_max_files(0)
        // Each picture is rendered on one thread; more would only cost.
        vips_concurrency_set(1)
        vitrine_vips_silence()
        return .success(())
    }()

    /// Allows the loaders that only child processes may call.
    static func allowLoadersOfChildren() {
        for loader in ["VipsForeignLoadRad", "VipsForeignLoadOpenexr"] {
            vips_operation_block_set(loader, 0)
        }
    }

    /// Loads libraries that would otherwise be opened at first use, for a process that can't open
    /// files later. Starts no thread.
    static func loadLibraries() { vitrine_load_libraries() }

    /// `8.14.1`.
    static var version: String { String(cString: vips_version_string()) }

    static var trackedMemory: Int { Int(vips_tracked_get_mem()) }

    /// Every thread that used libvips must call this before it ends.
    static func threadEnds() { vips_thread_shutdown() }

    /// Returns the error for a failed operation on a picture, with libvips' message.
    static func failure() -> ImagingError {
        let text = errorText()
        return .broken(reason: text.isEmpty ? "the decoder gives no reason" : text)
    }

    static func forgetErrors() { vips_error_clear() }

    /// Returns libvips' last messages on one line. All threads share them, so that they may belong to
    /// another picture: show them, but never decide by them.
    static func errorText() -> String {
        guard let copy = vips_error_buffer_copy() else { return "" }
        defer { g_free(copy) }
        return DecoderMessage.oneLine(String(cString: copy))
    }
}
