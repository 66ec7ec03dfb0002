/// The state of the store.
package struct StoreStatus: Sendable, Equatable {
    /// Writes that failed since the start.
    package var failedWrites = 0
    /// Reads that failed since the start and counted as missing.
    package var failedReads = 0
    /// Damaged databases that were moved aside since the start.
    package var setAside = 0
    /// Bytes of blobs in memory that are not on disk yet.
    package var unsavedBytes = 0
    /// Why writes fail now; nil if they don't.
    package var trouble: StoreError?

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.failedWrites += right.failedWrites
        sum.failedReads += right.failedReads
        sum.setAside += right.setAside
        sum.unsavedBytes += right.unsavedBytes
        sum.trouble = left.trouble ?? right.trouble
        return sum
    }
}
