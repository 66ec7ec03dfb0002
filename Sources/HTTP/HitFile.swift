import CLinux

/// The open file of a response, which the kernel sends without a copy in this program.
package protocol HitFile: AnyObject, Sendable {
    /// Valid as long as this object lives.
    var descriptor: CInt { get }

    /// Returns whether the file is as it was when its bytes were verified. One system call.
    var isUnchanged: Bool { get }

    /// Returns whether a range can be sent without waiting for the disk. One system call.
    func isCached(_ range: Range<Int>) -> Bool

    /// Reads a range into the page cache on another thread, then calls `onEnd`, once.
    func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void)

    /// Counts bytes that were sent.
    func countSent(_ bytes: Int)
}

extension HitFile {
    package func isCached(_ range: Range<Int>) -> Bool {
        vitrine_is_cached(descriptor, range.lowerBound, range.count)
    }
}
