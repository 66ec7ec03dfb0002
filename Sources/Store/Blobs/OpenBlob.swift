import Glibc
import Memory

/// A verified blob that is read in parts. Any number of readers share its file, which is closed
/// with the last of them. A blob that is not on disk yet is read from memory.
package final class OpenBlob: Sendable {
    private enum Content {
        case file(OpenFile)
        case memory([UInt8])
    }

    /// Enough to detect every format.
    static let beginningCount = 8 << 10

    package let digest: Digest
    package let byteCount: Int
    /// The first bytes, from which the format is detected.
    package let beginning: [UInt8]
    private let content: Content
    private let threads: IOThreads
    private let reads: Counter

    /// - Parameter hold: counts the file among those of responses.
    init(
        _ digest: Digest, _ file: consuming FileDescriptor, _ stamp: FileStamp, _ hold: Room.Hold,
        beginning: [UInt8], _ threads: IOThreads, _ reads: Counter
    ) {
        self.digest = digest
        self.byteCount = stamp.size
        self.beginning = beginning
        content = .file(OpenFile(file, stamp, hold))
        self.threads = threads
        self.reads = reads
    }

    /// - Parameter bytes: have that digest.
    init(_ digest: Digest, held bytes: [UInt8], _ threads: IOThreads, _ reads: Counter) {
        self.digest = digest
        byteCount = bytes.count
        beginning = Array(bytes.prefix(Self.beginningCount))
        content = .memory(bytes)
        self.threads = threads
        self.reads = reads
    }

    /// The attributes of its file; nil if it is in memory.
    var stamp: FileStamp? {
        switch content {
        case .file(let file): file.stamp
        case .memory: nil
        }
    }

    /// The file, for callers that let the kernel send it. Valid as long as this object lives; nil if the
    /// blob is in memory.
    package var descriptor: CInt? {
        switch content {
        case .file(let file): file.number
        case .memory: nil
        }
    }

    /// Whether the file is as it was when it was verified. True in memory. One system call.
    package var isUnchanged: Bool {
        switch content {
        case .file(let file): file.isUnchanged
        case .memory: true
        }
    }

    /// Counts bytes that a caller sent from ``descriptor``.
    package func countSent(_ bytes: Int) { reads.add(bytes) }

    /// Reads a range into the page cache on one of the store's threads, then calls `onEnd`. Errors show
    /// when the range is sent.
    package func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void) {
        threads.start { [self] in
            if case .file(let file) = content { file.fetch(range) }
            onEnd()
        }
    }

    /// Reads a range on the store's threads.
    ///
    /// - Throws: ``StoreError/inputOutput(path:operation:code:)`` with `ESTALE` if the file was
    ///   changed since it was verified.
    package func read(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
        try await threads.run { [self] () throws(StoreError) in
            switch content {
            case .memory(let bytes): return Array(bytes[range.clamped(to: 0..<bytes.count)])
            case .file(let file):
                do throws(Errno) {
                    let bytes = try file.read(range)
                    reads.add(bytes.count)
                    return bytes
                } catch {
                    throw .inputOutput(path: "\(digest)", operation: "read", code: error.code)
                }
            }
        }
    }
}

/// A file and its attributes when it was verified.
private final class OpenFile: Sendable {
    private let descriptor: FileDescriptor
    let stamp: FileStamp
    private let hold: Room.Hold

    init(_ descriptor: consuming FileDescriptor, _ stamp: FileStamp, _ hold: Room.Hold) {
        self.descriptor = descriptor
        self.stamp = stamp
        self.hold = hold
    }

    var number: CInt { descriptor.number }

    var isUnchanged: Bool {
        Errno.optional { () throws(Errno) in stamp.describes(try descriptor.status()) } ?? false
    }

    /// Reads a range and drops the bytes.
    func fetch(_ range: Range<Int>) {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: BlobFiles.chunk) {
            let count = min(BlobFiles.chunk, range.upperBound - start)
            let bytes = Errno.optional { () throws(Errno) in try descriptor.read(count, at: start) }
            if bytes?.count != count { return }
        }
    }

    /// Reads the whole range; throws `ESTALE` if the file has changed.
    func read(_ range: Range<Int>) throws(Errno) -> [UInt8] {
        let bytes = try descriptor.read(range.count, at: range.lowerBound)
        // Checked after reading, so that an earlier write shows in the times.
        guard bytes.count == range.count, stamp.describes(try descriptor.status()) else {
            throw Errno(ESTALE)
        }
        return bytes
    }
}
