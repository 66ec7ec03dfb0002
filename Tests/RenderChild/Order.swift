import CSandbox
import Glibc

/// A picture that this process is asked to render, and the memory for the answer.
struct Order {
    /// As it came.
    let number: [UInt8]
    /// Where the thumbnails belong.
    private let thumbnails: UnsafeMutableRawPointer

    /// nil if the parent is gone.
    ///
    /// - Parameter memory: comes with the first order.
    static func receive(_ memory: inout UnsafeMutableRawPointer?) -> Order? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var file: Int32 = -1
        let count = sandbox_receive(Int32(SANDBOX_CHANNEL), &bytes, bytes.count, &file)
        guard count > 15 else { return nil }
        if file >= 0 {
            var status = stat()
            fstat(file, &status)
            memory = mmap(nil, Int(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        }
        guard let memory, memory != MAP_FAILED else { return nil }
        // After the number and the format.
        let original = bytes[8..<15].reduce(0) { $0 << 8 | Int($1) }
        return Order(
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
