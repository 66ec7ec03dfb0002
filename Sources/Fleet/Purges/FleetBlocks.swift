import Hashing
import Pipeline
import Store
import WorkQueue

/// What the nodes of a fleet have blocked, or show again, for nodes that were down meanwhile.
struct FleetBlocks: Sendable {
    private let values: any SharedValues

    init(_ hub: Hub) { values = hub.blocks }

    private static let prefix = "block."

    /// Keys of values have no slashes and stars.
    private static func key(_ target: String) -> String {
        prefix + Digest(of: Array(target.utf8)).hex
    }

    /// Returns all records, in no order.
    func all() async throws(QueueError) -> [BlockRecord] {
        // One that a later version has written in another way is left alone.
        try await values.all(Self.prefix).values.compactMap { BlockRecord(json: $0.bytes) }
    }

    func store(_ records: [BlockRecord]) async throws(QueueError) {
        for record in records {
            try await values.set(Self.key(record.target), try record.json("a block"))
        }
    }

    /// Takes what the fleet knows, and adds what only this node knows.
    ///
    /// - Throws: `QueueError`, and `Failure` if this node's records can't be written.
    func exchange(with blocking: Blocking) async throws {
        let known = try await all()
        try await blocking.follow(known)
        let targets = Set(known.map(\.target))
        try await store(blocking.records.filter { !targets.contains($0.target) })
    }
}
