package import Catalog
package import Logging
import Memory
package import Pipeline
package import Store
import Synchronization
package import WorkQueue

/// Repeats the purges of other nodes here, and announces this node's.
///
/// The number of the last purge that this cache has followed is stored with the cache. After a
/// restart the follower reads the later ones before the node serves. If the log has dropped purges
/// since, everything that is stored on this node's disk is removed: it is a cache.
package final class PurgeFollower: PurgeBroadcast {
    /// The pause between two looks at the log.
    private static let pause = Duration.seconds(1)

    private let hub: Hub
    private let node: String
    private let position: PurgePosition
    private let patience: Duration
    private let logger: Logger
    /// Set before the first event is read.
    private let pipeline = Mutex<MediaPipeline?>(nil)
    private let state = Mutex(State())

    private struct State {
        var followed: FollowedPurges?
        /// The newest event that this node knows of.
        var last: UInt64 = 0
        var skipped = 0
        /// Whether this node knows all that the fleet has blocked.
        var hasBlocks = false
    }

    /// - Parameter patience: how long a purge waits for the other nodes to follow it.
    package init(
        _ hub: Hub, node: String, position: PurgePosition, patience: Duration = .seconds(5),
        logger: Logger
    ) {
        self.hub = hub
        self.node = node
        self.position = position
        self.patience = patience
        self.logger = logger
        let known = position.read().flatMap { FollowedPurges($0) }
        state.withLock { $0.followed = known }
    }

    /// The number of the last purge that this node has followed.
    package var number: UInt64 { state.withLock { $0.followed?.number ?? 0 } }

    /// Purges that this node knows of and has not followed.
    package var lag: Int {
        state.withLock { Int(clamping: $0.last) - Int(clamping: $0.followed?.number ?? 0) }
    }

    /// Events that this process could not read.
    package var skipped: Int { state.withLock { $0.skipped } }

    package func attach(_ pipeline: MediaPipeline) { self.pipeline.withLock { $0 = pipeline } }

    /// Follows every purge that was made until now.
    ///
    /// - Throws: ``QueueError``, and ``Failure`` if the store can't be changed.
    package func catchUp() async throws {
        guard let pipeline = pipeline.withLock({ $0 }) else { return }
        let log = try await hub.purges.extent()
        state.withLock { $0.last = log.last }
        // Another process with this cache may have followed.
        var followed = position.read().flatMap { FollowedPurges($0) }
        let known = state.withLock { $0.followed }
        if let followed, followed != known { await pipeline.purge.follow() }
        // Counting takes too long for every look.
        let isEmpty =
            followed?.identity == log.identity
            ? false : try await pipeline.statistics().originals == 0
        let step = FollowedPurges.step(followed, log, isEmpty: isEmpty)
        if case .drop = step { state.withLock { $0.hasBlocks = false } }
        // Before anything is served, and whenever an event may have been missed.
        if !state.withLock({ $0.hasBlocks }) {
            try await FleetBlocks(hub).exchange(with: pipeline.blocking)
            state.withLock { $0.hasBlocks = true }
        }
        switch step {
        case .drop(let number):
            logger.notice("purges may have been missed; the cache is emptied")
            _ = try await pipeline.purge.run(.all, isLocal: true)
            followed = FollowedPurges(identity: log.identity, number: number)
            store(followed)
        case .read(let after):
            var number = after
            while number < log.last {
                if let bytes = try await hub.purges.event(number + 1) {
                    try await apply(bytes, number + 1, pipeline)
                }
                number += 1
                store(FollowedPurges(identity: log.identity, number: number))
            }
            store(FollowedPurges(identity: log.identity, number: number))
        }
    }

    private func store(_ followed: FollowedPurges?) {
        guard let followed else { return }
        let isNew = state.withLock { state in
            defer { state.followed = followed }
            return state.followed != followed
        }
        if isNew { position.write(followed.line) }
        StateChange.tell()
    }

    private func apply(
        _ bytes: [UInt8], _ number: UInt64, _ pipeline: MediaPipeline
    ) async throws {
        guard let event = PurgeEvent(json: bytes) else {
            return skip(number, "It is not a purge.")
        }
        guard event.node != node else { return }
        if let blocks = event.blocks { return try await pipeline.blocking.follow(blocks) }
        let scope: PurgeScope
        do throws(Failure) {
            scope = try pipeline.purge.scope(event.scope)
        } catch {
            // A source that this node doesn't have has no pictures here.
            let isForeign = error.kind == .unknownSource || error.kind == .notFound
            return isForeign ? () : skip(number, error.reason)
        }
        _ = try await pipeline.purge.run(scope, soft: event.soft, isLocal: true)
    }

    /// Skips an event that this version can't read. It would stop this node from following all others,
    /// and from starting.
    private func skip(_ number: UInt64, _ reason: String) {
        state.withLock { $0.skipped += 1 }
        logger.warning(
            "a purge can't be read and is skipped; repeat it on this node if another version sent it",
            metadata: ["number": .stringConvertible(number), "reason": "\(reason)"])
    }

    /// Follows purges until the task is canceled.
    ///
    /// - Parameter moved: called when it has followed one.
    func run(moved: @Sendable () async -> Void) async {
        var isReached = true
        while !Task.isCancelled {
            let before = number
            do {
                try await catchUp()
                isReached = true
            } catch {
                if isReached, !Task.isCancelled {
                    logger.warning(
                        "purges of other nodes can't be followed; trying again",
                        metadata: ["reason": "\(error)"])
                }
                isReached = false
            }
            if number != before { await moved() }
            do { try await Task.sleep(for: Self.pause) } catch { return }
        }
    }

    // MARK: - Telling

    package func tell(
        _ blocks: [BlockRecord]
    ) async throws(Failure) -> (sequence: UInt64, nodes: [PurgeReceipt.Node]) {
        do throws(QueueError) {
            // First, so that a node that starts now learns of them.
            try await FleetBlocks(hub).store(blocks)
            let event = PurgeEvent(blocks, node: node)
            let number = try await hub.purges.append(try event.json("a block"))
            return (number, try await reach(number, needsBlocks: true))
        } catch {
            throw Failure(
                .unexpected,
                "This holds on this node, but the other nodes could not be told. Repeat it. "
                    + error.description)
        }
    }

    package func tell(
        _ scope: PurgeScope, soft: Bool
    ) async throws(Failure) -> (sequence: UInt64, nodes: [PurgeReceipt.Node]) {
        do throws(QueueError) {
            let event = PurgeEvent(scope, soft: soft, node: node)
            let number = try await hub.purges.append(try event.json("a purge"))
            return (number, try await reach(number))
        } catch {
            throw Failure(
                .unexpected,
                "This node is purged, but the other nodes could not be reached. Repeat the purge. "
                    + error.description)
        }
    }

    /// Waits until all nodes that are up have followed a purge, and says which have.
    ///
    /// - Parameter needsBlocks: whether nodes of a version that knows no blocks have not done it.
    private func reach(
        _ number: UInt64, needsBlocks: Bool = false
    ) async throws(QueueError) -> [PurgeReceipt.Node] {
        let deadline = ContinuousClock.now + patience
        while true {
            let nodes = try await NodeReport.all(hub).filter { $0.purge != nil }.map { report in
                PurgeReceipt.Node(
                    name: report.name, role: report.role.rawValue,
                    passed: report.name == node
                        || report.purge ?? 0 >= number
                            && (report.knowsBlocks ?? false || !needsBlocks)
                )
            }
            if nodes.allSatisfy(\.passed) || .now >= deadline { return nodes }
            do { try await Task.sleep(for: .milliseconds(100)) } catch { return nodes }
        }
    }
}
