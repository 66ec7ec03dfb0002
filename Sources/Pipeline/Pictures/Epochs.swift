import Synchronization

/// Counts changes to what is known, by key: what was read before a change must not be published after
/// it. Keys share counters, so that a change of one may cost another a publication, and no more.
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
