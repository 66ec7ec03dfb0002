import CPixels
import CWebP
import Synchronization

/// What a render uses and the next one uses again: codecs, filters and memory. One thread has it at a
/// time. Nothing in it shows the render before.
///
/// Unchecked because a thread takes it out of the pool and gives it back.
final class RenderWorkspace: @unchecked Sendable {
    let codec: TurboJPEG
    let resampler: OpaquePointer
    let memory = RenderMemory()
    /// The last conversion of colors: pictures of one origin often have the same profile. That of a printer takes
    /// longer to make than a thumbnail.
    var colors: ColorTransform?
    private var webP = WebPMemoryWriter()
    /// Bytes of the largest WebP of this render.
    private var written = 0

    private init() throws(ImagingError) {
        codec = try TurboJPEG()
        guard let resampler = pixels_plane_resampler_new() else {
            throw .misconfigured(reason: "\(ImagingError.noMemory) for a resampler")
        }
        self.resampler = resampler
        WebPMemoryWriterInit(&webP)
    }

    deinit {
        pixels_plane_resampler_free(resampler)
        WebPMemoryWriterClear(&webP)
    }

    /// Runs `body` with a workspace that no other render has.
    static func with<Value>(
        _ body: (RenderWorkspace) throws(ImagingError) -> Value
    ) throws(ImagingError) -> Value {
        let workspace: RenderWorkspace
        if let idle = pool.withLock({ $0.popLast() }) {
            workspace = idle
        } else {
            workspace = try RenderWorkspace()
        }
        let result: Result<Value, ImagingError>
        do throws(ImagingError) {
            result = .success(try body(workspace))
        } catch {
            result = .failure(error)
        }
        workspace.endRender()
        pool.withLock { $0.append(workspace) }
        return try result.get()
    }

    /// Never more than threads that rendered at once.
    private static let pool = Mutex<[RenderWorkspace]>([])

    /// Frees or clears what the next render should not find.
    private func endRender() {
        memory.endRender()
        codec.forget()
        if let profile = colors?.profile, profile.count > ColorTransform.kept { colors = nil }
        pixels_plane_resampler_forget(resampler)
        if webP.max_size > RenderMemory.kept {
            WebPMemoryWriterClear(&webP)
        } else if let bytes = webP.mem {
            bytes.update(repeating: 0, count: written)
        }
        written = 0
    }

    /// Returns the bytes of a lossy WebP without metadata.
    func encodeWebP(
        _ pixels: vitrine_webp_pixels, quality: Int, effort: Int
    ) throws(ImagingError) -> [UInt8] {
        // A picture's thumbnails use it one after the other.
        webP.size = 0
        let status = vitrine_webp_encode(pixels, Int32(quality), Int32(effort), &webP)
        written = max(written, webP.size)
        guard status == 0 else {
            throw .misconfigured(reason: "the encoder failed: libwebp's error \(status)")
        }
        return Array(UnsafeBufferPointer(start: webP.mem, count: webP.size))
    }
}
