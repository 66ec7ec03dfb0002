import Catalog
import Logging
import Pipeline
import WorkQueue

// One job, whose items are made in the shared store.
extension Worker {
    /// Seconds between two attempts to store an item, at most.
    private static let maxRest = 10

    /// What became of an item, and why it has no result that counts; nil if it has.
    private typealias Made = (summary: WarmSummary, failure: ItemFailure?)

    /// Makes the items of a job. Adds what it did to `progress`, and returns those that failed.
    ///
    /// - Throws: ``Failure`` if this node can't work, or the task was canceled.
    func make(
        _ job: WarmJob, _ delivery: Delivery, _ progress: inout RunProgress
    ) async throws(Failure) -> [ItemFailure] {
        try await store.learn(job.known)
        let isSuspect = delivery.count >= policy.suspectFrom
        let outcomes = await withTaskGroup(of: Result<Made, Failure>.self) { group in
            var outcomes: [Result<Made, Failure>] = []
            for name in job.items {
                // Suspects one by one, so that the one that ends a worker is known.
                if isSuspect, let outcome = await group.next() { outcomes.append(outcome) }
                group.addTask { [self] in
                    do throws(Failure) {
                        return .success(try await make(name, delivery, isSuspect: isSuspect))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        var failures: [ItemFailure] = []
        for outcome in outcomes {
            let made = try outcome.get()
            progress.summary.add(made.summary)
            if let failure = made.failure { failures.append(failure) }
        }
        return failures
    }

    private func make(
        _ name: String, _ delivery: Delivery, isSuspect: Bool
    ) async throws(Failure) -> Made {
        guard let item = Item(name) else {
            return Self.failed(
                ItemFailure(item: name, reason: "This is not an item.", isFinal: true))
        }
        let mark = "suspect.\(WarmJob.hex(name))"
        if isSuspect, await isMarked(mark, before: delivery.count) {
            let reason = "Workers ended while they made it."
            return Self.failed(ItemFailure(item: name, reason: reason, isFinal: true))
        }
        let outcome: Result<PublishedItem, Failure>
        do throws(Failure) {
            outcome = .success(try await publish(item))
        } catch {
            outcome = .failure(error)
        }
        if isSuspect { await unmark(mark) }
        switch outcome {
        case .success(let published):
            guard case .unavailable(let failure) = published.ending else {
                return (published.summary, nil)
            }
            return (published.summary, ItemFailure(item: name, failure))
        case .failure(let error):
            switch error.kind {
            case .canceled, .diskFull: throw error
            case .storeUnusable where error.retryAfter == nil: throw error
            default: return Self.failed(ItemFailure(item: name, error))
            }
        }
    }

    /// Makes an item. While the shared store is down it keeps its place, and no job is taken; another
    /// worker would only fetch the same again. A worker that drains gives the item back instead.
    private func publish(_ item: Item) async throws(Failure) -> PublishedItem {
        while true {
            do throws(Failure) {
                return try await store.publish(item, again: false)
            } catch {
                guard error.kind == .storeUnusable, let seconds = error.retryAfter else {
                    throw error
                }
                let pause = Duration.seconds(min(max(1, seconds), Self.maxRest))
                guard rests(for: pause) else { throw error }
                do { try await Task.sleep(for: pause) } catch {
                    throw Failure(.canceled, "The worker ends.")
                }
            }
        }
    }

    private static func failed(_ failure: ItemFailure) -> Made {
        var summary = WarmSummary()
        summary.count(.failed(reason: failure.reason))
        return (summary, failure)
    }

    /// Returns whether a worker died while it made this item, and marks it for the case that this
    /// one does.
    private func isMarked(_ key: String, before delivery: Int) async -> Bool {
        do throws(QueueError) {
            if let known = try await hub.values.value(key),
                let count = Int(String(decoding: known.bytes, as: UTF8.self)), count < delivery
            {
                return true
            }
            try await hub.values.set(key, Array("\(delivery)".utf8))
        } catch {
            logger.debug("an item can't be marked", metadata: ["reason": "\(error)"])
        }
        return false
    }

    private func unmark(_ key: String) async {
        do throws(QueueError) {
            try await hub.values.remove(key)
        } catch {
            logger.debug("an item can't be unmarked", metadata: ["reason": "\(error)"])
        }
    }
}
