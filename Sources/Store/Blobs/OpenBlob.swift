import Glibc
package import Hashing
import Memory
import Threads

/// A verified blob that is read in parts. Any number of readers share its file, which is closed
/// with the last of them. A blob that is not on disk yet is read from memory.
package final class OpenBlob: Sendable {
    /// Enough to detect every format.
    static let beginningCount = 8 << 10

    package let digest: Digest
    package let byteCount: Int
    /// The first bytes, from which the format is detected.
    package let beginning: [UInt8]
    /// Nil if it is not on disk yet.
    private let file: VerifiedFile?
    /// Its bytes if it is not on disk yet, or never will be.
    private let held: [UInt8]
    /// Counts these bytes.
    private let hold: ByteBudget.Hold?
    private let threads: ThreadPool
    private let reads: Counter

    init(_ file: VerifiedFile, beginning: [UInt8], _ threads: ThreadPool, _ reads: Counter) {
        digest = file.digest
        byteCount = file.byteCount
        self.beginning = beginning
        self.file = file
        held = []
        hold = nil
        self.threads = threads
        self.reads = reads
    }

    /// - Parameters:
    ///   - bytes: have that digest.
    ///   - hold: counts them for as long as they are read.
    init(
        _ digest: Digest, held bytes: [UInt8], hold: ByteBudget.Hold? = nil,
        _ threads: ThreadPool, _ reads: Counter
    ) {
        self.digest = digest
        byteCount = bytes.count
        beginning = Array(bytes.prefix(Self.beginningCount))
        file = nil
        held = bytes
        self.hold = hold
        self.threads = threads
        self.reads = reads
    }

    /// The attributes of its file; nil if it is in memory.
    var stamp: FileStamp? { file?.stamp }

    /// The file, for callers that let the kernel send it. Valid as long as this object lives; nil if the
    /// blob is in memory.
    package var descriptor: CInt? { file?.descriptor }

    /// Whether the file is as it was when it was verified. True in memory. One system call.
    package var isUnchanged: Bool { file?.isUnchanged ?? true }

    /// Counts bytes that a caller sent from ``descriptor``.
    package func countSent(_ bytes: Int) { reads.add(bytes) }

    /// Reads a range into the page cache on one of the store's threads, then calls `onEnd`. Errors show
    /// when the range is sent.
    package func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void) {
        if let file { file.fetch(range, onEnd) } else { threads.start(onEnd) }
    }

    /// Reads a range on the store's threads.
    ///
    /// - Throws: ``StoreError/inputOutput(path:operation:code:)`` with `ESTALE` if the file was
    ///   changed since it was verified.
    package func read(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
        try await threads.run { [self] () throws(StoreError) in
            guard let file else { return Array(held[range.clamped(to: 0..<held.count)]) }
            do throws(Errno) {
                return try file.read(range)
            } catch {
                throw .inputOutput(path: "\(digest)", operation: "read", code: error.code)
            }
        }
    }
}
