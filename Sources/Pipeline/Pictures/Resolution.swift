import Catalog
import FoundationEssentials

/// Decides which candidate of an item's chain is next, and what it means that all of them failed.
/// Pure.
struct Resolution {
    /// What to do next.
    enum Step: Equatable {
        /// Ask the item's source for its details, then call ``follow(_:)``.
        case ask(Item)
        case attempt(Candidate)
    }

    /// Every failure so far, in order.
    private(set) var failures: [Failure] = []
    private var pending: [ChainStep]
    private var asked: Set<Item> = []
    private var stepsLeft: Int

    /// - Parameter maxSteps: bounds the steps of one chain, including those of other items in it.
    init(of item: Item, maxSteps: Int) {
        pending = [.item(item)]
        stepsLeft = maxSteps
    }

    /// Returns the next step, or nil if nothing is left to try. Each item is asked for once.
    mutating func next() -> Step? {
        while let step = pending.first, stepsLeft > 0 {
            pending.removeFirst()
            stepsLeft -= 1
            switch step {
            case .item(let item): if asked.insert(item).inserted { return .ask(item) }
            case .candidate(let candidate): return .attempt(candidate)
            // An ordered chain has these in their size already.
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

    /// The failure that stands for the whole chain, or nil if nothing failed.
    var failure: Failure? { Self.combined(failures) }

    /// Returns how long a picture is fresh: as long as its original, and no longer than a better
    /// candidate's failure is remembered.
    func freshUntil(_ original: Date) -> Date {
        failures.map(\.until).reduce(original, min)
    }

    /// Returns whether an item keeps its stored picture when every candidate failed. It loses it only
    /// when its source says that there is none.
    static func keepsStored(despite failure: Failure) -> Bool {
        failure.kind != .absent
    }

    /// The one failure that stands for a whole chain in which every candidate failed.
    ///
    /// An unavailable origin never becomes "absent": anything transient outweighs the rest, then
    /// what was rejected, then what was refused. It is remembered as long as the shortest part of
    /// its class.
    static func combined(_ failures: [Failure]) -> Failure? {
        let weight: [Failure.Kind] = [.unavailable, .timedOut, .rejected, .refused, .absent]
        for kind in weight {
            let ofKind = failures.filter { $0.kind == kind }
            if let first = ofKind.min(by: { $0.until < $1.until }) { return first }
        }
        return nil
    }
}
