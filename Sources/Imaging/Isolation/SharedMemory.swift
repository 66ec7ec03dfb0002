import CSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Memory shared by this process and a child; used by one thread at a time. Its size is fixed; pages take
/// room once they are written.
///
/// The other process may change it at any moment, so that bytes are copied before they are checked.
///
/// Unchecked because one thread at a time uses it.
final class SharedMemory: @unchecked Sendable {
    let descriptor: Int32
    private let bytes: UnsafeMutableRawBufferPointer
    /// Bytes up to the last one that this process has written or read.
    private var used = 0

    var count: Int { bytes.count }

    /// Makes memory; send ``descriptor`` to a child to share it.
    init(count: Int) throws(ImagingError) {
        let memory = sandbox_memory(count)
        guard memory >= 0, let bytes = Self.mapped(memory, count) else {
            let reason = String(cString: strerror(errno))
            if memory >= 0 { close(memory) }
            throw .misconfigured(reason: "no shared memory: \(reason)")
        }
        descriptor = memory
        self.bytes = bytes
    }

    /// Maps the memory of a received descriptor and takes that over; nil if it can't be mapped.
    init?(received descriptor: Int32) {
        // glibc asks for the status of an open file by a call for paths, which a child without Landlock
        // doesn't have.
        let count = Int(lseek(descriptor, 0, SEEK_END))
        guard count > 0, let bytes = Self.mapped(descriptor, count) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.bytes = bytes
    }

    deinit {
        munmap(bytes.baseAddress, bytes.count)
        close(descriptor)
    }

    private static func mapped(_ descriptor: Int32, _ count: Int) -> UnsafeMutableRawBufferPointer?
    {
        let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        return start == MAP_FAILED ? nil : UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    /// Copies bytes to `offset`; returns false, without writing, if they don't fit.
    func write(_ source: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, source.count <= count - offset else { return false }
        used = max(used, offset + source.count)
        if source.count >= Self.large,
            pwrite(descriptor, source, source.count, off_t(offset)) == source.count
        {
            return true
        }
        UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: source)
        return true
    }

    /// Bytes that the kernel copies in half the time, without a page fault for each 4 KiB.
    private static let large = 1 << 20

    /// Returns a copy of `count` bytes from `offset` on; nil if there are fewer.
    func read(_ offset: Int, _ count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
            return nil
        }
        used = max(used, offset + count)
        return Array(bytes[offset..<offset + count])
    }

    /// Clears what this process has written and read. Returns the pages to the system if they are more than
    /// `most` bytes; the next write takes new ones.
    func clear(releasingOver most: Int) {
        defer { used = 0 }
        var status = stat()
        // Blocks of 512 bytes, see stat(2).
        if fstat(descriptor, &status) == 0, Int(status.st_blocks) * 512 > most,
            madvise(bytes.baseAddress, bytes.count, MADV_REMOVE) == 0
        {
            return
        }
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<used]).initializeMemory(
            as: UInt8.self, repeating: 0)
    }
}
