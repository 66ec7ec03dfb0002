/// Bytes and files on disk.
package struct DiskUsage: Sendable, Equatable {
    package var bytes = 0
    package var files = 0

    package init(bytes: Int = 0, files: Int = 0) {
        self.bytes = bytes
        self.files = files
    }

    package static func += (left: inout Self, right: Self) {
        left.bytes = left.bytes.addingClamped(right.bytes)
        left.files = left.files.addingClamped(right.files)
    }
}

extension Int {
    /// Returns the sum, or the nearest number there is.
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        if !overflow { return sum }
        return other < 0 ? .min : .max
    }
}
