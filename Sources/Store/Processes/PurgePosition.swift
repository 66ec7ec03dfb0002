import Glibc

/// How far a cache has followed the purges of a fleet, in `v2/followed`, for all processes that use
/// it. Calls block for a few microseconds. Any thread.
package struct PurgePosition: Sendable {
    /// More than an identity and a number take.
    private static let maxBytes = 256

    private let layout: StoreLayout

    package init(of index: Index) { layout = index.layout }

    init(_ layout: StoreLayout) { self.layout = layout }

    /// - Throws: `StoreError` if the cache can't be used.
    package init(root: String) throws(StoreError) {
        self.init(try StoreLayout(opening: root))
    }

    /// Returns the text that was written last; nil if there is none, or if it can't be read.
    package func read() -> String? {
        guard let file = SharedFile.existing(layout.followed),
            let bytes = file.read(Self.maxBytes, at: 0),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return String(validating: bytes[..<end], as: UTF8.self)
    }

    /// Writes one line. If that fails, the purges since the last one are followed again.
    package func write(_ line: String) {
        guard let file = SharedFile.current(nil, at: layout.followed) else { return }
        // The rest of a longer line is blank, so that one write is enough.
        let text = Array((line + "\n").utf8)
        file.write(
            text + [UInt8](repeating: 0x20, count: max(0, Self.maxBytes - text.count)), at: 0)
    }
}
