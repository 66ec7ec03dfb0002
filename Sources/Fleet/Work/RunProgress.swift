import Pipeline
import WorkQueue

/// What a worker says of a run.
struct RunProgress: Sendable, Equatable, Codable {
    /// Of items that are done or given up.
    var summary = WarmSummary()
    /// Why items failed, by their names. Of the first ones; the worker's log has all.
    var reasons: [String: String] = [:]

    private static let maxReasons = 100

    mutating func add(_ other: RunProgress) {
        summary.add(other.summary)
        for (item, reason) in other.reasons where reasons.count < Self.maxReasons {
            reasons[item] = reason
        }
    }

    private static func prefix(_ run: String) -> String { "progress.\(run)." }

    func store(_ hub: Hub, run: String, worker: String) async throws(QueueError) {
        try await hub.values.set(
            Self.prefix(run) + worker, try json("the progress of a run"))
    }

    /// Returns the sum over all workers.
    static func of(_ run: String, _ hub: Hub) async throws(QueueError) -> RunProgress {
        try await hub.values.all(prefix(run)).values.reduce(into: RunProgress()) { sum, value in
            // What workers of a version that reports in another way did is not in the sum. A run ends
            // by what the store has, so it ends all the same.
            if let part = RunProgress(json: value.bytes), part.summary.isPossible { sum.add(part) }
        }
    }

    /// Forgets an earlier run of the same name.
    static func remove(_ run: String, _ hub: Hub) async throws(QueueError) {
        for key in try await hub.values.all(prefix(run)).keys { try await hub.values.remove(key) }
    }
}
