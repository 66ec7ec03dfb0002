import CLinux
import Synchronization

/// Bounds the open connections of all threads.
package final class ConnectionBudget: Sendable {
    let limit: Int
    private let open = Atomic<Int>(0)
    private let shortagesSeen = Atomic<Int>(0)
    /// A descriptor for the rest of the process when there are none; -1 while it is given away.
    private let spare = Atomic<CInt>(-1)

    package init(limit: Int) {
        self.limit = limit
        keepSpare()
    }

    deinit { giveSpare() }

    /// Idle connections are closed once fewer than this many are free, as nginx does.
    var reserve: Int { max(1, limit / 16) }
    var isFull: Bool { open.load(ordering: .relaxed) >= limit }
    /// Connections to close so that the reserve is free again.
    var surplus: Int { open.load(ordering: .relaxed) - (limit - reserve) }

    /// Counts a connection before it is accepted. Returns false if too many are open.
    func take() -> Bool {
        if open.add(1, ordering: .relaxed).newValue <= limit { return true }
        give()
        return false
    }

    func give() {
        let left = open.subtract(1, ordering: .relaxed).newValue
        assert(left >= 0, "a connection is given back twice")
    }

    /// Connections in this many parts, of which all but one may be lent.
    private static let lendingParts = 8

    /// Lends the descriptor of a connection to a file that a response is sent from, if enough of them are free. It
    /// counts as a connection until ``takeBack()``.
    package func lend() -> Bool {
        let most = limit - limit / Self.lendingParts
        var seen = open.load(ordering: .relaxed)
        while seen < most {
            let (isTaken, now) = open.weakCompareExchange(
                expected: seen, desired: seen + 1, ordering: .relaxed)
            if isTaken { return true }
            seen = now
        }
        return false
    }

    package func takeBack() { give() }

    /// Times that a thread could not accept a client that waits. Each thread looks whether it has idle
    /// connections to close, because the one that accepts may have none.
    var shortages: Int { shortagesSeen.load(ordering: .relaxed) }
    func noteShortage() { shortagesSeen.add(1, ordering: .relaxed) }

    /// Closes the spare descriptor, so that something in the process can open a file.
    func giveSpare() {
        let spare = spare.exchange(-1, ordering: .relaxed)
        if spare >= 0 { _ = vitrine_close(spare) }
    }

    /// Opens the spare descriptor again, if there is one to have.
    func keepSpare() {
        guard spare.load(ordering: .relaxed) < 0 else { return }
        let new = vitrine_eventfd()
        guard new >= 0 else { return }
        let other = spare.exchange(new, ordering: .relaxed)
        if other >= 0 { _ = vitrine_close(other) }
    }
}

/// How many connections a thread accepts in one round.
///
/// One as long as they come one at a time, because the kernel makes a socket even for an attempt that fails.
/// More if others have been waiting for many rounds, but never so many that open connections wait for long.
struct AcceptBatch {
    private static let maxCount = 16
    private static let roundsPerConnection = 8

    /// Rounds in a row in which at least ``count`` connections had been waiting.
    private var fullRounds = 0

    var count: Int { min(Self.maxCount, 1 + fullRounds / Self.roundsPerConnection) }

    mutating func grow() {
        fullRounds = min(fullRounds + 1, Self.maxCount * Self.roundsPerConnection)
    }

    /// No further connection was waiting.
    mutating func reset() { fullRounds = 0 }
}
