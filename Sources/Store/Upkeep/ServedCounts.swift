/// Requests for pictures, by whether they were in the cache, memory included.
package struct ServedCounts: Sendable, Equatable {
    package var hits = 0
    package var misses = 0

    package init(hits: Int = 0, misses: Int = 0) {
        self.hits = hits
        self.misses = misses
    }

    /// From 0 to 1; nil without requests.
    package var hitRatio: Double? {
        let all = Double(hits) + Double(misses)
        return all > 0 ? Double(hits) / all : nil
    }

    static func + (left: Self, right: Self) -> Self {
        Self(hits: left.hits &+ right.hits, misses: left.misses &+ right.misses)
    }
}

/// The requests that all processes on a cache have answered since it was made, in `v2/served`. Calls
/// block for a few microseconds.
///
/// Each process adds its own from time to time. Those of the last minute are lost when it is killed.
struct ServedFile: Sendable {
    private static let byteCount = 16

    private let path: String

    init(_ layout: StoreLayout) { path = layout.served }

    /// The counts now. A damaged file counts nothing.
    var counts: ServedCounts {
        SharedFile.existing(path).map(Self.read) ?? ServedCounts()
    }

    /// Does nothing if the file can't be used.
    func add(_ counts: ServedCounts) {
        if counts == ServedCounts() { return }
        guard let file = SharedFile.current(nil, at: path) else { return }
        // The lock goes with the file.
        _ = file.lock(waiting: true)
        let sum = Self.read(file) + counts
        let words = [sum.hits, sum.misses].map { UInt64(clamping: $0).littleEndian }
        file.write(words.withUnsafeBytes { Array($0) }, at: 0)
    }

    private static func read(_ file: SharedFile) -> ServedCounts {
        guard let bytes = file.read(byteCount, at: 0), bytes.count == byteCount else {
            return ServedCounts()
        }
        let words = bytes.withUnsafeBytes { raw in
            [0, 8].map { offset in
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
        // More than any cache has answered is damage.
        guard words.allSatisfy({ $0 < 1 << 60 }) else { return ServedCounts() }
        return ServedCounts(hits: Int(words[0]), misses: Int(words[1]))
    }
}
