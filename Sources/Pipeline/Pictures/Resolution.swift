import Catalog
import FoundationEssentials

/// Decides which candidate of an item's chain is next, and which failure the item has if all of
/// them failed. Pure.
struct Resolution {
    /// Every failure so far, in order.
    private(set) var failures: [Failure] = []
    private var pending: [ChainStep]
    private var asked: Set<Item> = []
    private var stepsLeft: Int

    /// - Parameter maxSteps: limit of the steps of one chain, including those of linked items.
    init(of item: Item, maxSteps: Int) {
        pending = [.item(item)]
        stepsLeft = maxSteps
    }

    /// Returns the next candidate, or an item whose source is asked for its details before ``follow(_:)`` is
    /// called; nil if nothing is left to try. Each item is asked for once.
    mutating func next() -> ChainStep? {
        while let step = pending.first, stepsLeft > 0 {
            pending.removeFirst()
            stepsLeft -= 1
            switch step {
            case .item(let item): if asked.insert(item).inserted { return step }
            case .candidate: return step
            // In an ordered chain these are candidates already.
            case .scalable: continue
            }
        }
        return nil
    }

    /// Puts an item's chain in front of what is left.
    mutating func follow(_ chain: [ChainStep]) {
        pending.insert(contentsOf: chain, at: 0)
    }

    mutating func fail(_ failure: Failure) {
        failures.append(failure)
    }

    /// Leaves nothing to try.
    mutating func end() { pending = [] }

    /// The failure that stands for the whole chain, or nil if nothing failed.
    var failure: Failure? { Self.combined(failures) }

    /// Returns the expiry of a picture: that of its original, or earlier if a better candidate's
    /// failure expires earlier.
    func freshUntil(_ original: Date) -> Date {
        failures.map(\.until).reduce(original, min)
    }

    /// Returns whether an item keeps its stored picture after every candidate failed. It loses the
    /// picture only if its source says that it has none.
    static func keepsStored(despite failure: Failure) -> Bool {
        failure.kind != .absent
    }

    /// Returns the failure of a whole chain in which every candidate failed; nil for no failures.
    ///
    /// What is blocked comes first. An unavailable origin never becomes "absent": transient failures come
    /// next, then rejected, then refused ones. Of one kind it is the failure that expires first.
    static func combined(_ failures: [Failure]) -> Failure? {
        let weight: [Failure.Kind] = [
            .withheld, .gone, .unavailable, .timedOut, .unfinished, .rejected, .refused, .absent,
        ]
        for kind in weight {
            let ofKind = failures.filter { $0.kind == kind }
            if let first = ofKind.min(by: { $0.until < $1.until }) { return first }
        }
        return nil
    }
}
