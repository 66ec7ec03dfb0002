import Memory

/// Bytes and files on disk, or in a shared store.
package struct DiskUsage: Sendable, Equatable, Encodable {
    package var bytes = 0
    package var files = 0

    package init(bytes: Int = 0, files: Int = 0) {
        self.bytes = bytes
        self.files = files
    }

    /// Returns whether it is as much as another, in bytes and in files.
    func covers(_ need: DiskUsage) -> Bool { bytes >= need.bytes && files >= need.files }

    static prefix func - (usage: Self) -> Self {
        Self(bytes: -usage.bytes, files: -usage.files)
    }

    package static func += (left: inout Self, right: Self) {
        left.bytes = left.bytes.addingClamped(right.bytes)
        left.files = left.files.addingClamped(right.files)
    }
}
