import CCrypto
import Glibc

/// Bytes that no core dump and no child has. Erased at the end.
final class SecretBytes: Sendable {
    // nonisolated(unsafe) because the owner guards them.
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Makes room for `count` bytes, all 0; nil without memory.
    init?(count: Int) {
        let place = mmap(
            nil, max(1, count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let place, place != MAP_FAILED else { return nil }
        madvise(place, count, CInt(MADV_DONTDUMP))
        madvise(place, count, CInt(MADV_DONTFORK))
        bytes = UnsafeMutableRawBufferPointer(start: place, count: count)
    }

    /// Copies bytes.
    convenience init?(_ source: some Collection<UInt8>) {
        self.init(count: source.count)
        bytes.copyBytes(from: source)
    }

    deinit {
        vitrine_tls_erase(bytes.baseAddress, bytes.count)
        munmap(bytes.baseAddress, max(1, bytes.count))
    }

    /// Reads a file of at most `limit` bytes. Blocks. Returns nil if it is larger or can't be read.
    convenience init?(file path: String, limit: Int) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, (1...limit).contains(Int(status.st_size)) else {
            return nil
        }
        self.init(count: Int(status.st_size))
        var taken = 0
        while taken < bytes.count {
            let more = read(file, bytes.baseAddress.map { $0 + taken }, bytes.count - taken)
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return nil }
            taken += more
        }
    }
}
