import TestSupport
import Testing

@testable import WorkQueue

@Suite(.serialized, .timeLimit(.minutes(2))) struct SharedValuesTests {
    @Test(arguments: Backend.installed)
    func `of two nodes that exchange the same revision one wins`(_ backend: Backend) async throws {
        try await QueueBed.with(backend) { bed, hub in
            let other = try await bed.hub()
            #expect(try await hub.values.value("run.a") == nil)
            let first = try #require(try await hub.values.exchange("run.a", [1], for: nil))
            #expect(try await other.values.exchange("run.a", [2], for: nil) == nil)
            let second = try #require(try await other.values.exchange("run.a", [3], for: first))
            #expect(try await hub.values.exchange("run.a", [4], for: first) == nil)
            #expect(
                try await hub.values.value("run.a") == SharedValue(bytes: [3], revision: second))
            await other.close()
        }
    }

    @Test(arguments: Backend.installed)
    func `values are listed by prefix, and a removed one can be made again`(
        _ backend: Backend
    ) async throws {
        try await QueueBed.with(backend) { _, hub in
            #expect(try await hub.values.all("node.").isEmpty)
            try await hub.values.set("node.a", [1])
            try await hub.values.set("node.b", [2])
            try await hub.values.set("other.c", [])
            #expect(
                try await hub.values.all("node.").mapValues(\.bytes) == [
                    "node.a": [1], "node.b": [2],
                ])
            #expect(try await hub.values.value("other.c")?.bytes == [])
            try await hub.values.remove("node.a")
            #expect(try await hub.values.value("node.a") == nil)
            #expect(try await hub.values.exchange("node.a", [5], for: nil) != nil)
        }
    }

    @Test(arguments: Backend.installed)
    func `live values vanish unless they are written again`(_ backend: Backend) async throws {
        let life = Duration.seconds(4)
        try await QueueBed.with(
            backend,
            {
                $0.life = life
                $0.lease = .seconds(1)
            }
        ) { bed, hub in
            try await hub.live.set("node.dead", [1])
            var (isDead, isRenewed) = (false, false)
            while !isDead || !isRenewed {
                let start = ContinuousClock.now
                try await hub.live.set("node.alive", [2])
                try await bed.waitForLease(hub)
                let names = try await hub.live.all("node.").keys.sorted()
                isDead = !names.contains("node.dead")
                // A busy machine may take longer than the value lives, which proves nothing.
                isRenewed = start.duration(to: .now) < life
                if isRenewed { #expect(names.contains("node.alive")) }
            }
        }
    }

    @Test(arguments: Backend.installed)
    func `events are numbered, and every node reads them`(_ backend: Backend) async throws {
        try await QueueBed.with(backend) { bed, hub in
            let empty = try await hub.purges.extent()
            #expect(empty.first == 1)
            #expect(empty.last == 0)
            #expect(try await hub.purges.append([1]) == 1)
            #expect(try await hub.purges.append([2]) == 2)
            let other = try await bed.hub()
            #expect(try await other.purges.event(2) == [2])
            #expect(try await other.purges.event(3) == nil)
            #expect(try await other.purges.extent() == hub.purges.extent())
            await other.close()
        }
    }

    @Test(arguments: Backend.installed)
    func `a dropped event is known as dropped`(_ backend: Backend) async throws {
        try await QueueBed.with(
            backend,
            {
                $0.retention = .seconds(2)
                $0.dedupe = .seconds(1)
                $0.lease = .seconds(1)
            }
        ) { bed, hub in
            let empty = try await hub.purges.extent()
            #expect(try await hub.purges.append([1]) == 1)
            #expect(try await hub.purges.append([2]) == 2)
            while try await hub.purges.extent().first < 3 { try await bed.waitForLease(hub) }
            #expect(try await hub.purges.event(1) == nil)
            let later = try await hub.purges.extent()
            #expect(later.last == 2)
            #expect(later.identity == empty.identity)
            #expect(try await hub.purges.append([3]) == 3)
        }
    }
}
