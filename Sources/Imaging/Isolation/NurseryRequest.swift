/// A request of a ``Nursery`` to its process.
enum NurseryRequest: Equatable {
    /// Start a child that may take so many bytes besides those it begins with, with libvips or at once. Its
    /// channel comes with the message.
    case start(niceness: Int, memory: Int, withLibraries: Bool)
    /// End a child and report why it ended.
    case end(Int32)
    /// Let a child have so many bytes in all.
    case limit(Int32, memory: Int)

    var message: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .start(let niceness, let memory, let withLibraries):
            writer.put(withLibraries ? 3 : 1, 1)
            writer.put(niceness, 4)
            writer.put(memory, 7)
        case .end(let process):
            writer.put(2, 1)
            writer.put(Int(process), 4)
        case .limit(let process, let memory):
            writer.put(4, 1)
            writer.put(Int(process), 4)
            writer.put(memory, 7)
        }
        return writer.bytes
    }

    init?(message: [UInt8]) {
        var reader = ByteReader(message)
        guard let kind = reader.byte(), let number = reader.bigEndian(4) else { return nil }
        let process = Int32(truncatingIfNeeded: number)
        switch kind {
        case 1, 3:
            guard let memory = reader.bigEndian(7) else { return nil }
            self = .start(niceness: number, memory: memory, withLibraries: kind == 3)
        case 2: self = .end(process)
        case 4:
            guard let memory = reader.bigEndian(7) else { return nil }
            self = .limit(process, memory: memory)
        default: return nil
        }
    }
}
