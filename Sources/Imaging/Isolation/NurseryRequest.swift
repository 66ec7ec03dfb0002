/// A request of a ``Nursery`` to its process.
enum NurseryRequest: Equatable {
    /// Start a child, with libvips or at once; its channel comes with the message.
    case start(niceness: Int, withLibraries: Bool)
    /// End a child and report why it ended.
    case end(Int32)

    var message: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .start(let niceness, let withLibraries):
            writer.put(withLibraries ? 3 : 1, 1)
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
        case 1, 3: self = .start(niceness: number, withLibraries: kind == 3)
        case 2: self = .end(Int32(truncatingIfNeeded: number))
        default: return nil
        }
    }
}
