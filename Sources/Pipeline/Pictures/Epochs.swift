import Synchronization

/// Counts the changes of each key, so that data read before a change isn't published after it.
///
/// Keys share counters. A change of one key may therefore suppress a publication of another, which
/// does no harm.
final class Epochs: Sendable {
    private static let stripes = 1_024

    private let counts = Mutex([UInt64](repeating: 0, count: stripes))

    func value(of key: some Hashable) -> UInt64 {
        let stripe = Self.stripe(key)
        return counts.withLock { $0[stripe] }
    }

    func advance(_ key: some Hashable) {
        let stripe = Self.stripe(key)
        counts.withLock { $0[stripe] &+= 1 }
    }

    func advanceAll() {
        counts.withLock { counts in
            for stripe in counts.indices { counts[stripe] &+= 1 }
        }
    }

    private static func stripe(_ key: some Hashable) -> Int {
        Int(UInt(bitPattern: key.hashValue) % UInt(stripes))
    }
}
