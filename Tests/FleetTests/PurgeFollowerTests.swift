import Catalog
import FoundationEssentials
import Imaging
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing
import WorkQueueSupport

@testable import Fleet
@testable import WorkQueue

@Suite(.timeLimit(.minutes(1))) struct PurgeFollowerTests {
    /// Two nodes with caches of their own, both with show 1 on disk.
    private static func withNodes(
        _ clock: ManualClock = ManualClock(),
        _ body: (Hub, Harness, Harness) async throws -> Void
    ) async throws {
        let hub = QueueInMemory.hub { clock.now }
        try await withHarness { first in
            try await withHarness { second in
                for harness in [first, second] {
                    harness.serveShow(1, medium: nil)
                    harness.origin.on(
                        "/original/1.jpg",
                        .jpeg(FixtureImages.jpeg(width: 340, height: 500, seed: 1)))
                    _ = try await harness.picture(1)
                }
                try await body(hub, first, second)
            }
        }
        await hub.close()
    }

    private static func follower(
        _ hub: Hub, _ harness: Harness, _ name: String, patience: Duration = .seconds(600)
    ) throws -> PurgeFollower {
        let follower = PurgeFollower(
            hub, node: name, position: try PurgePosition(root: harness.directory.path),
            patience: patience, logger: Harness.silentLogger)
        follower.attach(harness.pipeline)
        return follower
    }

    private static func isStored(_ harness: Harness) async throws -> Bool {
        try await harness.pipeline.statistics().originals > 0
    }

    @Test func `a purge of one node is done by the others, once`() async throws {
        try await Self.withNodes { hub, first, second in
            let here = try Self.follower(hub, first, "a")
            let there = try Self.follower(hub, second, "b")
            try await there.catchUp()
            #expect(try await Self.isStored(second))
            _ = try await first.pipeline.purge.run(.item(first.item(1)))
            let told = try await here.tell(.item(first.item(1)), soft: false)
            #expect(told.sequence == 1)
            try await there.catchUp()
            #expect(try await !Self.isStored(second))
            #expect(there.number == 1)
            #expect(there.lag == 0)
            _ = try await second.picture(1)
            try await there.catchUp()
            #expect(try await Self.isStored(second))
        }
    }

    @Test func `a node that was down follows what it missed, and continues after a restart`()
        async throws
    {
        try await Self.withNodes { hub, first, second in
            try await Self.follower(hub, second, "b").catchUp()
            let here = try Self.follower(hub, first, "a")
            _ = try await here.tell(.source("itunes"), soft: false)
            _ = try await here.tell(.source("tvmaze"), soft: false)
            // Another process with the same cache.
            let again = try Self.follower(hub, second, "c")
            #expect(again.number == 0)
            try await again.catchUp()
            #expect(try await !Self.isStored(second))
            #expect(again.number == 2)
            let restarted = try Self.follower(hub, second, "d")
            #expect(restarted.number == 2)
        }
    }

    @Test(arguments: ["{}", "\u{1}", #"{"scope":"a/b","soft":false,"node":"z"}"#])
    func `a purge that can't be read is skipped and counted, and the next one is followed`(
        text: String
    ) async throws {
        try await Self.withNodes { hub, first, second in
            let there = try Self.follower(hub, second, "b")
            try await there.catchUp()
            _ = try await hub.purges.append(Array(text.utf8))
            try await there.catchUp()
            #expect(there.number == 1 && there.skipped == 1)
            #expect(try await Self.isStored(second))
            _ = try await Self.follower(hub, first, "a").tell(.item(first.item(1)), soft: false)
            try await there.catchUp()
            #expect(there.number == 2 && there.skipped == 1)
            #expect(try await !Self.isStored(second))
            // Another process that starts with this cache reads none of them again.
            let again = try Self.follower(hub, second, "c")
            try await again.catchUp()
            #expect(again.skipped == 0)
        }
    }

    @Test func `a block of one node is in force on the others, also on those that were down`()
        async throws
    {
        try await Self.withNodes { hub, first, second in
            let here = try Self.follower(hub, first, "a")
            try await here.catchUp()
            let there = try Self.follower(hub, second, "b")
            try await there.catchUp()
            _ = try await first.pipeline.blocking.block("tvmaze/show/1", reason: "Order 1")
            let told = try await here.tell(first.pipeline.blocking.records)
            #expect(told.sequence == 1)
            try await there.catchUp()
            #expect(try await !Self.isStored(second))
            #expect(try await second.picture(1).picture.failure?.kind == .withheld)
            // One that joins after the log has dropped the event.
            try await withHarness { third in
                let late = PurgeFollower(
                    hub, node: "c", position: try PurgePosition(root: third.directory.path),
                    patience: .seconds(600), logger: Harness.silentLogger)
                late.attach(third.pipeline)
                try await late.catchUp()
                #expect(third.pipeline.blocking.all.map(\.target) == ["tvmaze/show/1"])
            }
            first.clock.advance(by: 1)
            _ = try await first.pipeline.blocking.unblock("tvmaze/show/1")
            _ = try await here.tell(first.pipeline.blocking.records)
            try await there.catchUp()
            #expect(second.pipeline.blocking.all.isEmpty)
            #expect(try await !second.picture(1).picture.isPlaceholder)
        }
    }

    @Test func `a node brings what it had blocked alone, and takes what was lifted meanwhile`()
        async throws
    {
        try await Self.withNodes { hub, first, second in
            _ = try await first.pipeline.blocking.block("tvmaze/show/1", reason: nil)
            try await Self.follower(hub, first, "a").catchUp()
            try await Self.follower(hub, second, "b").catchUp()
            #expect(second.pipeline.blocking.all.map(\.target) == ["tvmaze/show/1"])
            second.clock.advance(by: 1)
            _ = try await second.pipeline.blocking.unblock("tvmaze/show/1")
            _ = try await Self.follower(hub, second, "b").tell(second.pipeline.blocking.records)
            // A new process, which learns of it before it serves.
            try await Self.follower(hub, first, "c").catchUp()
            #expect(first.pipeline.blocking.all.isEmpty)
        }
    }

    @Test func `the status of a fleet names nodes that know no blocks`() async throws {
        try await Self.withNodes { hub, first, _ in
            var old = NodeReport(
                name: "old", role: .serve, host: "h", version: "0.9", recipe: "r", at: .now)
            old.purge = 0
            try await old.store(hub)
            var new = old
            (new.name, new.knowsBlocks) = ("new", true)
            try await new.store(hub)
            let before = try await FleetStatus.now(hub)
            #expect(before.blocks == 0 && !before.nodes.contains(where: before.ignoresBlocks))
            _ = try await first.pipeline.blocking.block("tvmaze/show/1", reason: nil)
            let told = try await Self.follower(hub, first, "a", patience: .zero)
                .tell(first.pipeline.blocking.records)
            #expect(told.nodes.allSatisfy { !$0.passed })
            let status = try await FleetStatus.now(hub)
            #expect(status.blocks == 1)
            #expect(status.nodes.filter(status.ignoresBlocks).map(\.name) == ["old"])
        }
    }

    @Test func `a node that was down for too long drops its cache`() async throws {
        let clock = ManualClock()
        try await Self.withNodes(clock) { hub, first, second in
            let there = try Self.follower(hub, second, "b")
            try await there.catchUp()
            let here = try Self.follower(hub, first, "a")
            _ = try await here.tell(.source("itunes"), soft: false)
            clock.advance(by: 8 * 86_400)
            #expect(try await hub.purges.extent().first == 2)
            try await there.catchUp()
            #expect(try await !Self.isStored(second))
            #expect(there.number == 1)
        }
    }

    @Test func `a receipt says which nodes have followed the purge`() async throws {
        try await Self.withNodes { hub, first, second in
            let here = try Self.follower(hub, first, "a")
            let there = try Self.follower(hub, second, "b")
            @Sendable func report(_ name: String, _ number: UInt64) async throws {
                var report = NodeReport(
                    name: name, role: .serve, host: "h", version: "1", recipe: "r",
                    at: second.clock.now)
                report.purge = number
                try await report.store(hub)
            }
            try await report("b", 0)
            let following = Task {
                await there.run { try? await report("b", there.number) }
            }
            let told = try await here.tell(.all, soft: true)
            #expect(told.nodes.map(\.name) == ["b"] && told.nodes.map(\.passed) == [true])
            following.cancel()
            await following.value
            let hasty = try Self.follower(hub, first, "a", patience: .zero)
            let untold = try await hasty.tell(.all, soft: true)
            #expect(untold.nodes.map(\.name) == ["b"] && untold.nodes.map(\.passed) == [false])
        }
    }

    @Test(arguments: [
        (nil, 1, 0, false, FollowedPurges.Step.read(after: 0)),
        (nil, 1, 3, false, .read(after: 0)),
        (nil, 3, 5, false, .drop(number: 5)),
        (nil, 3, 5, true, .read(after: 5)),
        ("log 4", 3, 5, false, .read(after: 4)),
        ("log 2", 3, 5, false, .read(after: 2)),
        ("log 1", 3, 5, false, .drop(number: 5)),
        ("log 9", 3, 5, false, .drop(number: 5)),
        ("other 4", 3, 5, false, .drop(number: 5)),
        ("other 4", 1, 5, false, .drop(number: 5)),
        ("other 4", 3, 5, true, .read(after: 5)),
    ])
    func `what a cache does follows from its place in the log`(
        _ place: String?, _ first: UInt64, _ last: UInt64, _ isEmpty: Bool,
        _ step: FollowedPurges.Step
    ) {
        let log = EventExtent(identity: "log", first: first, last: last)
        let followed = place.flatMap { FollowedPurges($0) }
        #expect(FollowedPurges.step(followed, log, isEmpty: isEmpty) == step)
    }
}
