import FoundationEssentials

/// Items whose upload failed: when each is tried again, and which is given up. Pure.
///
/// An item is at fault if other items were stored since its last attempt. While none is stored, the
/// shared store is at fault, and no attempt counts.
struct UploadRests: Sendable {
    /// After this many attempts an item is given up. They take half an hour.
    static let mostAttempts = 10
    /// Seconds before the second attempt. Each further rest takes twice as long.
    static let firstRest: TimeInterval = 2
    static let longestRest: TimeInterval = 600
    /// Failures in a row after which the shared store counts as down: further items would fail alike.
    static let mostFailures = 8
    /// Items that rest at the same time, at about 200 bytes each.
    static let mostItems = 1_000

    /// What a failure means.
    enum Verdict: Equatable {
        case tryLater
        /// The item is at fault. This is said once of each.
        case isAtFault
        case giveUp
    }

    private struct Rest {
        var failures = 0
        var attempts = 0
        var until: Date
        /// Items that were stored before its last attempt.
        var stored: Int
    }

    private var rests: [String: Rest] = [:]
    /// Items stored so far.
    private var stored = 0
    private var failuresInRow = 0

    var count: Int { rests.count }
    /// Whether the last uploads failed alike.
    var isStoreAtFault: Bool { failuresInRow >= Self.mostFailures }

    /// Returns whether an item may be tried now.
    func isDue(_ key: String, at now: Date) -> Bool {
        guard let rest = rests[key] else { return rests.count < Self.mostItems }
        // A clock that was ahead doesn't make it rest for longer.
        return rest.until <= now || rest.until > now.addingTimeInterval(Self.longestRest)
    }

    /// The item was stored, or there is nothing to store of it.
    mutating func succeeded(_ key: String) {
        // The others failed because the store was down.
        if isStoreAtFault { wake() }
        rests[key] = nil
        stored += 1
        failuresInRow = 0
    }

    /// - Parameter isLasting: whether only this item can be at fault.
    mutating func failed(_ key: String, isLasting: Bool, at now: Date) -> Verdict {
        failuresInRow += 1
        var rest = rests[key] ?? Rest(until: now, stored: stored)
        let isAtFault = isLasting || rest.stored < stored
        rest.failures += 1
        rest.attempts += isAtFault ? 1 : 0
        if rest.attempts >= Self.mostAttempts {
            rests[key] = nil
            return .giveUp
        }
        let length = Self.firstRest * Double(1 << min(rest.failures - 1, 16))
        rest.until = now.addingTimeInterval(min(length, Self.longestRest))
        rest.stored = stored
        rests[key] = rest
        return isAtFault && rest.attempts == 1 ? .isAtFault : .tryLater
    }

    /// Ends all rests, and takes no item for the store's failure.
    mutating func wake() {
        failuresInRow = 0
        for key in rests.keys { rests[key]?.until = .distantPast }
    }
}
