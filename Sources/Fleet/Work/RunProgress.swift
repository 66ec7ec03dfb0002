package import Pipeline
package import WorkQueue

/// What workers did for a run.
package struct RunProgress: Sendable, Equatable, Codable {
    /// Items that are done or given up.
    package var summary = WarmSummary()
    /// Items of these that were given up.
    package var dead = 0
    /// Jobs that will be tried again.
    package var retries = 0
    /// The first items without their first choice, with reasons.
    package var problems: [String] = []

    /// Of one worker. Its log has all.
    static let maxProblems = 20

    package init() {}

    package mutating func add(_ other: RunProgress) {
        summary.add(other.summary)
        dead += other.dead
        retries += other.retries
        problems += other.problems
    }

    private static func prefix(_ run: String) -> String { "progress.\(run)." }

    func store(_ hub: Hub, run: String, worker: String) async throws(QueueError) {
        try await hub.values.set(
            Self.prefix(run) + worker, try NodeJSON.encode(self, "the progress of a run"))
    }

    /// Returns the sum over all workers.
    package static func of(_ run: String, _ hub: Hub) async throws(QueueError) -> RunProgress {
        try await hub.values.all(prefix(run)).values.reduce(into: RunProgress()) { sum, value in
            // What workers of a version that reports in another way did is not in the sum. A run ends
            // by what the store has, so it ends all the same.
            if let part = NodeJSON.decode(RunProgress.self, value.bytes) { sum.add(part) }
        }
    }

    /// Forgets an earlier run of the same name.
    static func remove(_ run: String, _ hub: Hub) async throws(QueueError) {
        for key in try await hub.values.all(prefix(run)).keys { try await hub.values.remove(key) }
    }
}
