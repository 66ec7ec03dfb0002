/// What a ``Nursery`` asks of its process.
enum NurseryRequest: Equatable {
    /// A child for the channel that comes along.
    case start(niceness: Int)
    /// The end of a child, and why it ended.
    case end(Int32)

    var message: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .start(let niceness):
            writer.put(1, 1)
            writer.put(niceness, 4)
        case .end(let process):
            writer.put(2, 1)
            writer.put(Int(process), 4)
        }
        return writer.bytes
    }

    init?(message: [UInt8]) {
        var reader = ByteReader(message)
        guard let kind = reader.byte(), let number = reader.bigEndian(4) else { return nil }
        switch kind {
        case 1: self = .start(niceness: number)
        case 2: self = .end(Int32(truncatingIfNeeded: number))
        default: return nil
        }
    }
}

/// What the process of a ``Nursery`` answers.
enum NurseryReply: Equatable {
    /// The number of a child, or of the signal that ended it: 0 if it ended by itself.
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
