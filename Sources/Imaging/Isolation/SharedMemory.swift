import CSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Bytes that another process can be given (memfd). Owns the descriptor.
struct SharedMemory: ~Copyable {
    let descriptor: Int32

    /// A copy that nobody changes any more.
    init(_ bytes: [UInt8]) throws(ImagingError) {
        descriptor = sandbox_memory("vitrine")
        guard descriptor >= 0 else { throw Self.failed("shared memory can't be had") }
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failed("shared memory can't be written") }
            done += written
        }
        guard sandbox_seal(descriptor) == 0 else { throw Self.failed("memory can't be sealed") }
    }

    /// Takes over what another process sent; nil where that may still change it.
    init?(received descriptor: Int32) {
        guard sandbox_is_sealed(descriptor) == 1 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// `count` bytes from `offset` on, copied; nil where there are fewer.
    func read(_ offset: Int, _ count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = 0
            while done < count {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: done), count - done, offset + done)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                done += got
            }
        }
        return bytes.count == count ? bytes : nil
    }

    /// In bytes; whatever came is no more than that.
    var count: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func failed(_ what: String) -> ImagingError {
        .misconfigured(reason: "\(what): \(String(cString: strerror(errno)))")
    }
}
