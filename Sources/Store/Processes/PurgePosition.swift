/// How far a cache has followed the purges of a fleet, in ``SharedPage``, for all processes that
/// use it. Calls block for a few microseconds. Any thread.
package struct PurgePosition: Sendable {
    private let page: SharedPage

    package init(of index: Index) { self.init(index.layout) }

    init(_ layout: StoreLayout) { page = SharedPage(layout) }

    /// - Throws: `StoreError` if the cache can't be used.
    package init(root: String) throws(StoreError) {
        self.init(try StoreLayout(opening: root))
    }

    /// Returns the text that was written last; nil if there is none, or if it can't be read.
    package func read() -> String? {
        guard let bytes = page.read(SharedPage.followed),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return String(validating: bytes[..<end], as: UTF8.self)
    }

    /// Writes one line. If that fails, the purges since the last one are followed again.
    package func write(_ line: String) {
        page.change(SharedPage.followed) { bytes in
            // The rest of a longer line is blank, so that one write is enough.
            let text = Array((line + "\n").utf8).prefix(bytes.count)
            return text + [UInt8](repeating: 0x20, count: bytes.count - text.count)
        }
    }
}
