import CVips
import Synchronization

/// The library as a whole: opened once per process, started when a picture needs it, never stopped.
enum Vips {
    /// Opens libvips once, which takes 20 ms; later calls cost nothing.
    ///
    /// - Throws: ``ImagingError/misconfigured(reason:)``
    static func open() throws(ImagingError) {
        try opened.get()
    }

    /// Opens and starts libvips once, which takes 40 ms; later calls cost nothing.
    ///
    /// - Throws: ``ImagingError/misconfigured(reason:)``
    static func start() throws(ImagingError) {
        try started.get()
    }

    private static let opened: Result<Void, ImagingError> = {
        guard let reason = vitrine_vips_open() else { return .success(()) }
        let text = DecoderMessage.oneLine(String(cString: reason))
        return .failure(.misconfigured(reason: "libvips can't be opened: \(text)"))
    }()

    private static let started: Result<Void, ImagingError> = {
        if case .failure = opened { return opened }
        guard vitrine_vips_init() == 0 else {
            return .failure(.misconfigured(reason: "libvips does not start: \(errorText())"))
        }
        // PDF, ImageMagick, ….
        vitrine_vips_block_untrusted()
        // Except this one, for documents that the program itself writes.
        vitrine_vips_allow("VipsForeignLoadSvg")
        // No two pictures are alike, so that a cache of operations would find nothing.
        vitrine_vips_cache_nothing()
        // More threads for one picture would only cost.
        vitrine_vips_set_threads(1)
        vitrine_vips_no_vectors()
        vitrine_vips_silence()
        hasStarted.store(true, ordering: .releasing)
        return .success(())
    }()

    private static let hasStarted = Atomic(false)

    /// Whether libvips runs in this process.
    static var isStarted: Bool { hasStarted.load(ordering: .acquiring) }

    /// Allows the loaders that only child processes may call.
    static func allowLoadersOfChildren() {
        for loader in ["Jxl", "Jp2k", "Rad", "Openexr"] {
            vitrine_vips_allow("VipsForeignLoad" + loader)
        }
    }

    /// Allows the writers of formats that only pictures of this program are written in.
    static func allowWriters() {
        for writer in ["Jxl", "Jp2k"] { vitrine_vips_allow("VipsForeignSave" + writer) }
    }

    /// Loads libraries that would otherwise be opened at first use, for a process that can't open
    /// files later. Starts no thread.
    static func loadLibraries() { vitrine_load_libraries() }

    /// Whether libvips can be used; opens it.
    static var isOpen: Bool {
        if case .success = opened { true } else { false }
    }

    static var trackedMemory: Int { isStarted ? Int(vitrine_vips_tracked_memory()) : 0 }

    /// Every thread that may have used libvips must call this before it ends.
    static func threadEnds() {
        if isStarted { vitrine_vips_thread_ends() }
    }

    /// Returns the error for a failed operation on a picture, by libvips' message.
    static func failure() -> ImagingError { DecoderMessage.error(errorText()) }

    static func forgetErrors() {
        if isStarted { vitrine_vips_forget_errors() }
    }

    /// Returns libvips' last messages on one line. All threads share them, so that they may belong to
    /// another picture: show them, but never decide by them.
    static func errorText() -> String {
        guard let copy = vitrine_vips_errors() else { return "" }
        defer { g_free(copy) }
        return DecoderMessage.oneLine(String(cString: copy))
    }
}
