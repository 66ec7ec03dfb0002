/// A reply of the process of a ``Nursery``.
enum NurseryReply: Equatable {
    /// The process number of a child, or the signal that ended it: 0 if it exited by itself.
    case done(Int32)
    case failed(String)

    var message: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .done(let number):
            writer.put(0, 1)
            writer.put(Int(number), 4)
        case .failed(let reason):
            writer.put(1, 1)
            writer.put(Array(reason.utf8.prefix(2_000)))
        }
        return writer.bytes
    }

    init?(message: [UInt8]) {
        var reader = ByteReader(message)
        switch reader.byte() {
        case 0:
            guard let number = reader.bigEndian(4) else { return nil }
            self = .done(Int32(truncatingIfNeeded: number))
        case 1: self = .failed(String(decoding: message.dropFirst(), as: UTF8.self))
        default: return nil
        }
    }
}
