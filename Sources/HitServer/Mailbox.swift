import Synchronization

/// The reads of a thread's connections that have ended. Any thread adds, the loop takes.
final class ParkedReads: Sendable {
    private let ended = Mutex<[(file: CInt, number: Int)]>([])
    private let wake: @Sendable () -> Void

    /// - Parameter wake: wakes the loop.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// - Parameter number: tells connections apart that had the same descriptor.
    func add(_ file: CInt, _ number: Int) {
        ended.withLock { $0.append((file, number)) }
        wake()
    }

    func take() -> [(file: CInt, number: Int)] {
        ended.withLock { ended in
            defer { ended = [] }
            return ended
        }
    }
}
