import Catalog
import Imaging
import Store
import Synchronization

/// Warms many items at the same time. All levels of an item come from one decode.
///
/// Idempotent: fresh pictures are neither fetched nor rendered again, so an interrupted run
/// continues where it stopped.
struct Warmer: Sendable {
    private let pictures: Pictures
    private let storage: @Sendable () -> StoreStatus
    private let renditions: Set<Rendition>
    private let concurrency: Int
    private let clock = ContinuousClock()

    /// - Parameter concurrency: Number of items in flight, enough to keep origin and renderer busy
    ///   at the same time.
    init(
        _ pictures: Pictures, renditions: Set<Rendition>, concurrency: Int,
        storage: @escaping @Sendable () -> StoreStatus
    ) {
        self.pictures = pictures
        self.storage = storage
        self.renditions = renditions
        self.concurrency = max(1, concurrency)
    }

    /// Warms all items and calls `report` for each. On cancellation the items in flight end first.
    ///
    /// - Throws: as ``Warm/run(_:report:)``.
    func run(
        _ items: some AsyncSequence<Item, any Error>,
        report: @escaping @Sendable (WarmedItem, WarmSummary) -> Void
    ) async throws -> WarmSummary {
        let start = clock.now
        let tally = RunningSummary()
        var seen: Set<Item> = []
        try await withThrowingTaskGroup(of: Void.self) { group in
            var underWay = 0
            var broken: (any Error)?
            do {
                for try await item in items where seen.insert(item).inserted {
                    if underWay == concurrency {
                        try await group.next()
                        underWay -= 1
                    }
                    try Task.checkCancellation()
                    underWay += 1
                    group.addTask {
                        let (warmed, result) = try await ensure(item)
                        report(warmed, tally.count(warmed, result, after: clock.now - start))
                    }
                }
            } catch {
                // Finish the items in flight before reporting that the list can't be read.
                broken = error
            }
            try await group.waitForAll()
            if let broken { throw broken }
        }
        return tally.summary(after: clock.now - start)
    }

    private func ensure(_ item: Item) async throws -> (WarmedItem, MissResult?) {
        do throws(Failure) {
            let result = try await pictures.ensure(item, renditions)
            // Thumbnails that are only in memory are lost when the run ends.
            if let trouble = storage().trouble, trouble.isLasting {
                throw Failure(trouble)
            }
            return (WarmedItem(item: item, ending: Self.ending(result)), result)
        } catch {
            // A full or unusable store, or credentials that are missing, stop the run: every
            // further item would fail alike.
            switch error.kind {
            case .diskFull, .storeUnusable, .unconfigured: throw error
            case .canceled: throw CancellationError()
            default: break
            }
            return (WarmedItem(item: item, ending: .failed(reason: "\(error)")), nil)
        }
    }

    private static func ending(_ result: MissResult) -> WarmedItem.Ending {
        guard let failure = result.failure else { return .picture }
        return failure.isTransient || failure.kind == .refused
            ? .failed(reason: failure.reason) : .placeholder(reason: failure.reason)
    }
}

/// The summary of a run in progress.
private final class RunningSummary: Sendable {
    private let state = Mutex(WarmSummary())

    func count(
        _ warmed: WarmedItem, _ result: MissResult?, after elapsed: Duration
    ) -> WarmSummary {
        state.withLock { summary in
            summary.count(warmed, result)
            summary.seconds = elapsed / .seconds(1)
            return summary
        }
    }

    func summary(after elapsed: Duration) -> WarmSummary {
        state.withLock { summary in
            summary.seconds = elapsed / .seconds(1)
            return summary
        }
    }
}
