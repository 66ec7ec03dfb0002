import Synchronization

/// The responder of the newest settings. Any thread.
final class CurrentResponder: Sendable {
    private let responder: Mutex<Responder>

    init(_ first: Responder) { responder = Mutex(first) }

    var value: Responder { responder.withLock { $0 } }

    func replace(_ make: (Responder) -> Responder) {
        responder.withLock { $0 = make($0) }
    }
}
