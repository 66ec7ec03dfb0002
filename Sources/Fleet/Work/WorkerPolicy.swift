import Catalog

/// Bounds of a worker, with the reasons. Pure.
package struct WorkerPolicy: Sendable {
    /// Items under way at once.
    package var places = 16
    /// Deliveries after which a job is given up.
    package var maxDeliveries = 6
    /// From this delivery on, a job may be the cause of a worker's death. Its items are made one by
    /// one, and one during which a worker died is given up.
    package var suspectFrom = 3
    /// The first pause before another attempt; each further one is twice as long.
    package var retryAfter: Duration = .seconds(2)
    package var maxRetryAfter: Duration = .seconds(300)
    /// A job that takes longer is given back: its worker may hang. Long, because an origin's rate
    /// may allow a few items a minute.
    package var jobLimit: Duration = .seconds(900)
    /// How long a worker that ends finishes its jobs. The rest is given back.
    package var drainLimit: Duration = .seconds(60)

    package init() {}

    /// Returns the pause before the next attempt.
    ///
    /// - Parameters:
    ///   - delivery: how often the job was delivered.
    ///   - asked: what the origin asked for.
    ///   - random: in 0 ..< 1, so that jobs that failed together don't come back together.
    func pause(after delivery: Int, asked: Duration?, random: Double) -> Duration {
        let doubled = retryAfter * (1 << min(max(0, delivery - 1), 16))
        return max(asked ?? .zero, min(doubled, maxRetryAfter)) * (1 + random / 4)
    }

    /// What happens to a job.
    enum Verdict: Equatable {
        case done
        /// Some items failed in a way that may pass.
        case retry(after: Duration)
        /// These items are given up; the others are done.
        case bury([ItemFailure])
    }

    /// - Parameter failures: of the items without a result that counts.
    func verdict(_ failures: [ItemFailure], delivery: Int, random: Double) -> Verdict {
        guard !failures.isEmpty else { return .done }
        if failures.contains(where: \.isOurs) {
            // A shared store that is down for an hour costs no item its attempts.
            let asked = failures.compactMap(\.retryAfter).max()
            return .retry(after: pause(after: 1, asked: asked, random: random))
        }
        if delivery >= maxDeliveries || failures.allSatisfy(\.isFinal) { return .bury(failures) }
        let asked = failures.compactMap(\.retryAfter).max()
        return .retry(after: pause(after: delivery, asked: asked, random: random))
    }
}

/// Why an item of a job has no result that counts.
struct ItemFailure: Sendable, Equatable {
    var item: String
    var reason: String
    /// Whether another attempt would fail alike.
    var isFinal = false
    /// Whether the shared store is at fault, and not the item or its origin.
    var isOurs = false
    var retryAfter: Duration?

    init(item: String, reason: String, isFinal: Bool = false) {
        self.item = item
        self.reason = reason
        self.isFinal = isFinal
    }

    init(item: String, _ failure: Failure) {
        self.init(item: item, reason: failure.reason)
        retryAfter = failure.retryAfter.map { .seconds($0) }
        switch failure.kind {
        case .storeUnusable: isOurs = true
        // Another worker may have the credentials.
        case .unavailable, .timedOut, .sourceUnavailable, .sourceTimedOut, .overloaded,
            .unconfigured, .unexpected:
            break
        default: isFinal = true
        }
    }
}
