import HTTP
import Synchronization

/// What another thread makes for a hit while the connection waits for it.
final class PendingHit<Key: Equatable & Sendable, Value: Sendable>: HitRead {
    typealias Make = @Sendable (_ onEnd: @escaping @Sendable (Value?) -> Void) -> Void

    /// What it is made for.
    let key: Key
    private let make: Make
    private let outcome = Mutex<Value?>(nil)

    /// - Parameter make: returns at once, and calls its argument once, on another thread.
    init(_ key: Key, _ make: @escaping Make) {
        self.key = key
        self.make = make
    }

    /// Nil before it has ended, and if nothing came of it.
    var value: Value? { outcome.withLock { $0 } }

    func start(_ onEnd: @escaping @Sendable () -> Void) {
        make { [self] value in
            outcome.withLock { $0 = value }
            onEnd()
        }
    }
}
