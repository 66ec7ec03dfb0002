/// A reply of the process of a ``Nursery``.
enum NurseryReply: Equatable {
    /// The process number of a child. A descriptor that tells its memory comes with the message about a new
    /// one.
    case done(Int32)
    /// The signal that ended a child, 0 if it exited by itself; and the bytes that it took at most, besides
    /// those that a new child has.
    case ended(signal: Int32, peak: Int)
    case failed(String)

    var message: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .done(let number):
            writer.put(0, 1)
            writer.put(Int(number), 4)
        case .ended(let signal, let peak):
            writer.put(2, 1)
            writer.put(Int(signal), 4)
            writer.put(peak, 7)
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
        case 2:
            guard let signal = reader.bigEndian(4), let peak = reader.bigEndian(7) else {
                return nil
            }
            self = .ended(signal: Int32(truncatingIfNeeded: signal), peak: peak)
        default: return nil
        }
    }
}
