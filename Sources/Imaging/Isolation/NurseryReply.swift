/// A reply of the process of a ``Nursery``.
enum NurseryReply: Message, Equatable {
    /// The process number of a child. A descriptor that tells its memory comes with the message about a new
    /// one.
    case done(Int32)
    /// The signal that ended a child, 0 if it exited by itself; the bytes that it took at most, besides
    /// those that a new child has; and its processor time in nanoseconds.
    case ended(signal: Int32, peak: Int, time: Int64)
    case failed(String)

    static let blank = Self.done(0)

    mutating func fields(_ message: inout MessageFields) {
        message.coded(&self, \.kind, Self.init(kind:))
        switch self {
        case .done(var process):
            message.number(&process, 4)
            self = .done(process)
        case .ended(var signal, var peak, var time):
            message.number(&signal, 4)
            message.number(&peak, 7)
            message.number(&time, 7)
            self = .ended(signal: signal, peak: peak, time: time)
        case .failed(var reason):
            message.text(&reason)
            self = .failed(reason)
        }
    }

    private var kind: Int {
        switch self {
        case .done: 0
        case .failed: 1
        case .ended: 2
        }
    }

    private init?(kind: Int) {
        switch kind {
        case 0: self = .done(0)
        case 1: self = .failed("")
        case 2: self = .ended(signal: 0, peak: 0, time: 0)
        default: return nil
        }
    }
}
