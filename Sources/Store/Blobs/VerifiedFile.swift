import Glibc
import Hashing
import Memory
import Threads

/// An open file whose bytes were compared with their digest. Any number of readers share it; it is
/// closed with its last reference.
package final class VerifiedFile: Sendable {
    let digest: Digest
    /// The file's attributes when its bytes were compared.
    let stamp: FileStamp
    private let file: FileDescriptor
    /// Whether the removal of its name counts as a change.
    private let keepsItsName: Bool
    /// Counts the file while it is open.
    private let hold: Room.Hold
    private let threads: ThreadPool
    private let sent: Counter

    /// - Parameters:
    ///   - keepsItsName: whether the removal of its name counts as a change.
    ///   - hold: of the room for open files.
    init(
        _ file: consuming FileDescriptor, _ stamp: FileStamp, as digest: Digest,
        keepsItsName: Bool, _ hold: Room.Hold, _ threads: ThreadPool, sent: Counter
    ) {
        self.digest = digest
        self.stamp = stamp
        self.file = file
        self.keepsItsName = keepsItsName
        self.hold = hold
        self.threads = threads
        self.sent = sent
    }

    /// Valid as long as this object lives.
    package var descriptor: CInt { file.number }

    package var byteCount: Int { stamp.size }

    /// Whether the file is as it was when it was verified. One system call.
    package var isUnchanged: Bool {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { return false }
        return keepsItsName ? FileStamp(status) == stamp : stamp.describes(status)
    }

    /// Counts bytes that a caller sent from ``descriptor``.
    package func countSent(_ bytes: Int) { sent.add(bytes) }

    /// Reads a range into the page cache on one of the store's threads, then calls `onEnd`. Errors
    /// show when the range is sent.
    package func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void) {
        threads.start { [self] in
            for start in stride(from: range.lowerBound, to: range.upperBound, by: BlobFiles.chunk) {
                let count = min(BlobFiles.chunk, range.upperBound - start)
                let bytes = Errno.optional { () throws(Errno) in try file.read(count, at: start) }
                if bytes?.count != count { break }
            }
            onEnd()
        }
    }

    /// Reads the whole range; throws `ESTALE` if the file has changed. Blocks.
    func read(_ range: Range<Int>) throws(Errno) -> [UInt8] {
        let bytes = try file.read(range.count, at: range.lowerBound)
        // Checked after reading, so that an earlier write shows in the times.
        guard bytes.count == range.count, isUnchanged else { throw Errno(ESTALE) }
        sent.add(bytes.count)
        return bytes
    }
}
