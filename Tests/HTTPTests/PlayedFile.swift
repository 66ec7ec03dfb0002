import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// A file that changes, and comes from the disk, when the test lets it.
final class PlayedFile: HitFile {
    private struct State {
        var isUnchanged = true
        /// Ranges below this are in the page cache.
        var cached = Int.max
        var sent = 0
    }

    let descriptor: CInt
    let bytes: [UInt8]
    private let state = Mutex(State())
    /// Reads that wait for the disk, with what to call when they end.
    let fetches = Watched<[(range: Range<Int>, onEnd: @Sendable () -> Void)]>([])

    init(count: Int) throws {
        bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let open = try #require(tmpfile())
        defer { fclose(open) }
        // Without a name, so it is gone with its descriptor.
        let file = dup(fileno(open))
        try #require(file >= 0)
        descriptor = file
        let written = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        try #require(written == count)
    }

    deinit { close(descriptor) }

    var isUnchanged: Bool { state.withLock { $0.isUnchanged } }
    var sent: Int { state.withLock { $0.sent } }

    func change() { state.withLock { $0.isUnchanged = false } }
    func truncate(to count: Int) { ftruncate(descriptor, off_t(count)) }
    /// Only the first bytes are in the page cache.
    func evict(from offset: Int) { state.withLock { $0.cached = offset } }

    func isCached(_ range: Range<Int>) -> Bool {
        state.withLock { range.upperBound <= $0.cached }
    }

    func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void) {
        fetches.change { $0.append((range, onEnd)) }
    }

    func countSent(_ bytes: Int) { state.withLock { $0.sent += bytes } }

    func response(_ route: HitRoute) -> PreparedHit {
        PreparedHit(
            route, body: UnsafeRawBufferPointer(start: nil, count: 0), file: self,
            byteCount: bytes.count, owner: self, entityTag: Array("\"f\"".utf8),
            lastModified: Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8),
            fields: FieldLines(("ETag", "\"f\"")))
    }
}

/// A file that a source has, and that is open as long as anything else uses it.
struct WeakFile: Sendable {
    private let reference: Reference

    private final class Reference: Sendable {
        // nonisolated(unsafe) because it is set once, and reading a weak reference is atomic.
        nonisolated(unsafe) weak var file: PlayedFile?

        init(_ file: PlayedFile) { self.file = file }
    }

    init(_ source: PlayedSource, at target: String) throws {
        let file = try PlayedFile(count: 1_000)
        source.serve(file, at: target)
        reference = Reference(file)
    }

    var file: PlayedFile? { reference.file }
}
