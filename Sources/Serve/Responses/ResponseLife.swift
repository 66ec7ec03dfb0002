import FoundationEssentials
import HTTP
import Pipeline
import Store
import Synchronization

/// How long a response that was made before is sent again: the one rule for files and documents. Any thread.
///
/// It is sent for a second, as long as nothing changes that has to show at once. In the second half, one
/// request looks at the index: if nothing has changed there either, the response is sent for another second,
/// else that request makes its successor.
final class ResponseLife: Sendable {
    /// What responses are made from, as it is now.
    struct Present: Sendable {
        var now: @Sendable () -> Date
        /// Changes with everything that has to show at once.
        var generation: @Sendable () -> Int
        /// Changes with what is stored; nil if a change might not show.
        var mark: @Sendable () -> IndexMark?
    }

    /// What a response was made from.
    struct Basis: Sendable {
        var generation: Int
        /// When its making began.
        var mark: IndexMark?
        /// When its making ended.
        var madeAt: Date
    }

    /// Seconds.
    private static let length = 1.0
    /// Seconds after which a response is made again in any case.
    private static let longest = 30.0

    /// Nil for a response that is constant.
    private let basis: Basis?
    /// Until when it may be sent on after its first second.
    private let lastAt: Date
    private let isStale: Bool
    private let holds: @Sendable () -> Bool
    private let renew: @Sendable (ResponseLife) -> Void
    /// When it was made, or found to be true still, in seconds since 2001.
    private let confirmedAt: Atomic<UInt64>
    /// Whether a request looks at the index for it, or makes its successor.
    private let isRenewed = Atomic(false)
    /// Whether memory has another one in its place, or none.
    private let isRemoved = Atomic(false)

    /// Returns the life of responses that are constant until it is ended by ``remove()``.
    static func constant() -> ResponseLife {
        ResponseLife(nil, until: .distantFuture, isStale: false, holds: { true }, renew: { _ in })
    }

    /// - Parameters:
    ///   - lastAt: until when it may be sent on after its first second.
    ///   - holds: returns false once it must not be sent. Takes no lock and doesn't wait.
    ///   - renew: starts to renew it in the background.
    init(
        _ basis: Basis?, until lastAt: Date, isStale: Bool, holds: @escaping @Sendable () -> Bool,
        renew: @escaping @Sendable (ResponseLife) -> Void
    ) {
        self.basis = basis
        self.isStale = isStale
        self.holds = holds
        self.renew = renew
        let madeAt = basis?.madeAt ?? .distantPast
        self.lastAt = min(madeAt.addingTimeInterval(Self.longest), lastAt)
        confirmedAt = Atomic(madeAt.timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Negative if the clock was set back.
    private func age(at now: Date) -> TimeInterval {
        let bits = confirmedAt.load(ordering: .relaxed)
        return now.timeIntervalSinceReferenceDate - TimeInterval(bitPattern: bits)
    }

    /// Returns whether it may be sent. Reads nothing but memory, and the state of a file.
    func isCurrent(_ present: Present) -> Bool {
        guard !isRemoved.load(ordering: .relaxed) else { return false }
        guard let basis else { return true }
        return basis.generation == present.generation()
            && !isExpired(at: present.now()) && holds()
    }

    func isExpired(at now: Date) -> Bool { !(0..<Self.length).contains(age(at: now)) }

    /// Notes that it is sent, has it renewed if that is due, and returns its freshness.
    func use(_ present: Present) -> HitFreshness {
        if basis != nil, beginsRenewal(at: present.now()) { renew(self) }
        return freshness
    }

    var freshness: HitFreshness { HitFreshness(isStale: isStale, secondsLeft: 0) }

    /// Returns true for one caller once half of its second is over. That caller confirms or replaces it.
    func beginsRenewal(at now: Date) -> Bool {
        !(0..<Self.length / 2).contains(age(at: now))
            && isRenewed.compareExchange(expected: false, desired: true, ordering: .relaxed)
                .exchanged
    }

    /// Prolongs it if nothing has changed.
    func confirm(_ present: Present) -> Bool {
        let now = present.now()
        guard let basis, !isStale, now >= basis.madeAt, now < lastAt,
            basis.generation == present.generation(), let mark = present.mark(),
            mark == basis.mark, holds()
        else { return false }
        confirmedAt.store(now.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed)
        isRenewed.store(false, ordering: .relaxed)
        return true
    }

    func remove() { isRemoved.store(true, ordering: .relaxed) }
}

extension ResponseLife.Present {
    init(_ pipeline: MediaPipeline) {
        now = { pipeline.now() }
        generation = { pipeline.generation }
        mark = { pipeline.storedMark }
    }
}
