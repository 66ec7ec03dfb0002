import CSandbox
import Glibc

/// A request to render a picture, and the memory for the reply.
struct Request {
    /// The bytes of its number.
    let number: [UInt8]
    /// The place for thumbnails.
    private let thumbnails: UnsafeMutableRawPointer

    /// Returns nil if the parent has ended.
    ///
    /// - Parameter memory: comes with the first request.
    static func receive(_ memory: inout UnsafeMutableRawPointer?) -> Request? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var file: Int32 = -1
        let count = sandbox_receive(Int32(SANDBOX_CHANNEL), &bytes, bytes.count, &file)
        guard count > 16 else { return nil }
        if file >= 0 {
            var status = stat()
            fstat(file, &status)
            memory = mmap(nil, Int(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        }
        guard let memory, memory != MAP_FAILED else { return nil }
        // After the number, what is wanted, and the format.
        let original = bytes[9..<16].reduce(0) { $0 << 8 | Int($1) }
        return Request(
            number: Array(bytes.prefix(7)), thumbnails: memory + (original + 63) / 64 * 64)
    }

    func answer(_ message: [UInt8], _ thumbnail: [UInt8] = []) {
        thumbnail.withUnsafeBytes {
            thumbnails.copyMemory(
                from: $0.baseAddress ?? UnsafeRawPointer(thumbnails), byteCount: $0.count)
        }
        _ = write(Int32(SANDBOX_CHANNEL), message, message.count)
    }
}
