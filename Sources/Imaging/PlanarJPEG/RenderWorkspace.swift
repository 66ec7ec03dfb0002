import CPixels
import CTurboJPEG
import CWebP
import Synchronization

/// What a render uses and the next one uses again: codecs, filters and memory, so that no picture needs
/// fresh pages. One thread has it at a time; only blocks may come back from others.
final class RenderWorkspace {
    let codec: TurboJPEG
    let resampler: OpaquePointer
    private var webP = WebPMemoryWriter()
    private let free = Mutex<[Block]>([])

    /// Memory of at least the size that was asked for, aligned to a cache line.
    ///
    /// Unchecked because one thread at a time writes to it: the one that took it.
    struct Block: @unchecked Sendable {
        let bytes: UnsafeMutablePointer<UInt8>
        let count: Int

        init(count: Int) {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
            bytes = memory.bindMemory(to: UInt8.self, capacity: count)
            self.count = count
        }

        func deallocate() { UnsafeMutableRawPointer(bytes).deallocate() }
    }

    /// Bytes that a workspace keeps for the next render; a poster's planes and thumbnails take 4 MB,
    /// those of 2000×3000 13 MB.
    private static let kept = 16 << 20

    private init() throws(ImagingError) {
        codec = try TurboJPEG()
        guard let resampler = pixels_plane_resampler_new() else {
            throw .misconfigured(reason: "there is no memory for a resampler")
        }
        self.resampler = resampler
        WebPMemoryWriterInit(&webP)
    }

    deinit {
        for block in free.withLock({ $0 }) { block.deallocate() }
        pixels_plane_resampler_free(resampler)
        WebPMemoryWriterClear(&webP)
    }

    /// Runs `body` with a workspace that no other render has.
    static func with<Value>(
        _ body: (RenderWorkspace) throws(ImagingError) -> Value
    ) throws(ImagingError) -> Value {
        let workspace: RenderWorkspace
        if let idle = pool.withLock({ $0.popLast() }) {
            workspace = idle.workspace
        } else {
            workspace = try RenderWorkspace()
        }
        let result: Result<Value, ImagingError>
        do throws(ImagingError) {
            result = .success(try body(workspace))
        } catch {
            result = .failure(error)
        }
        workspace.trim()
        pool.withLock { $0.append(Idle(workspace: workspace)) }
        return try result.get()
    }

    /// Unchecked because one thread at a time has a workspace: it takes it out of the pool.
    private struct Idle: @unchecked Sendable {
        let workspace: RenderWorkspace
    }

    /// Never more than threads that rendered at once.
    private static let pool = Mutex<[Idle]>([])

    /// Takes the smallest block that is large enough, or makes one.
    func take(_ count: Int) -> Block {
        let found = free.withLock { free -> Block? in
            let fitting = free.indices.filter { free[$0].count >= count }
                .min { free[$0].count < free[$1].count }
            return fitting.map { free.remove(at: $0) }
        }
        return found ?? Block(count: (count + 4_095) / 4_096 * 4_096)
    }

    func giveBack(_ block: Block) { free.withLock { $0.append(block) } }

    /// Frees the largest blocks beyond the bytes that are kept.
    private func trim() {
        free.withLock { free in
            free.sort { $0.count < $1.count }
            var sum = free.reduce(0) { $0 + $1.count }
            while sum > Self.kept, let largest = free.popLast() {
                sum -= largest.count
                largest.deallocate()
            }
        }
        if webP.max_size > Self.kept { WebPMemoryWriterClear(&webP) }
    }

    /// Returns the bytes of a lossy WebP without metadata.
    func encodeWebP(
        _ pixels: vitrine_webp_pixels, quality: Int, effort: Int
    ) throws(ImagingError) -> [UInt8] {
        webP.size = 0
        let status = vitrine_webp_encode(pixels, Int32(quality), Int32(effort), &webP)
        guard status == 0 else {
            throw .misconfigured(reason: "the encoder failed: libwebp's error \(status)")
        }
        return Array(UnsafeBufferPointer(start: webP.mem, count: webP.size))
    }
}
