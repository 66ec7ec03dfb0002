/// A request of a ``Nursery`` to its process.
enum NurseryRequest: Message, Equatable {
    /// Start a child that may take so many bytes besides those it begins with, with libvips or at once. Its
    /// channel comes with the message.
    case start(niceness: Int, memory: Int, withLibraries: Bool)
    /// End a child and report why it ended.
    case end(Int32)
    /// Let a child have so many bytes in all.
    case limit(Int32, memory: Int)

    static let blank = Self.end(0)

    mutating func fields(_ message: inout MessageFields) {
        message.coded(&self, \.kind, Self.init(kind:))
        switch self {
        case .start(var niceness, var memory, let withLibraries):
            message.number(&niceness, 4)
            message.number(&memory, 7)
            self = .start(niceness: niceness, memory: memory, withLibraries: withLibraries)
        case .end(var process):
            message.number(&process, 4)
            self = .end(process)
        case .limit(var process, var memory):
            message.number(&process, 4)
            message.number(&memory, 7)
            self = .limit(process, memory: memory)
        }
    }

    private var kind: Int {
        switch self {
        case .start(_, _, let withLibraries): withLibraries ? 3 : 1
        case .end: 2
        case .limit: 4
        }
    }

    private init?(kind: Int) {
        switch kind {
        case 1, 3: self = .start(niceness: 0, memory: 0, withLibraries: kind == 3)
        case 2: self = .end(0)
        case 4: self = .limit(0, memory: 0)
        default: return nil
        }
    }
}
