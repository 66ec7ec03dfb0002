import Foundation
import Synchronization
import TestSupport
import Testing
import WorkQueueSupport

@testable import WorkQueue

/// What every queue promises, in memory and on servers.
@Suite(.serialized, .timeLimit(.minutes(2))) struct WorkQueueContractTests {
    private static func job(
        _ id: Int, _ origin: String = "tvmaze", _ lane: QueueJob.Lane = .low, route: String = "r"
    ) -> QueueJob {
        QueueJob(id: "job-\(id)", lane: lane, route: route, origin: origin, body: [UInt8(id)])
    }

    /// The jobs that workers confirmed.
    private final class Seen: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])

        var all: [[UInt8]] { bodies.withLock { $0 } }

        func add(_ body: [UInt8]) {
            bodies.withLock { $0.append(body) }
            stateChanged()
        }
    }

    private static let all = QueueFetch(route: "r", limit: 100)
    private static let wait = Duration.seconds(60)

    @Test(arguments: Backend.installed)
    func `a job is delivered once, and gone when it is confirmed`(_ backend: Backend) async throws {
        try await QueueBed.with(backend) { _, hub in
            #expect(try await hub.queue.publish(Self.job(1)))
            let taken = try await hub.queue.fetch(Self.all, wait: Self.wait)
            #expect(taken.map(\.body) == [[1]])
            #expect(taken.map(\.count) == [1])
            #expect(try await hub.queue.fetch(Self.all, wait: .zero).isEmpty)
            var backlog = try await hub.queue.backlog()
            #expect(backlog.waiting == 0)
            #expect(backlog.leased == 1)
            try await hub.queue.finish(taken[0])
            backlog = try await hub.queue.backlog()
            #expect(backlog.count == 0)
            #expect(backlog.oldest == nil)
        }
    }

    @Test(arguments: Backend.installed)
    func `a job with the same id is added once`(_ backend: Backend) async throws {
        try await QueueBed.with(backend) { _, hub in
            #expect(try await hub.queue.publish(Self.job(1)))
            #expect(try await !hub.queue.publish(Self.job(1)))
            let taken = try await hub.queue.fetch(Self.all, wait: Self.wait)
            #expect(taken.count == 1)
            try await hub.queue.finish(taken[0])
            // Also after it is done.
            #expect(try await !hub.queue.publish(Self.job(1)))
            #expect(try await hub.queue.backlog().count == 0)
        }
    }

    @Test(arguments: Backend.installed)
    func `the high lane goes first, origins take turns, and routes are apart`(
        _ backend: Backend
    ) async throws {
        try await QueueBed.with(backend) { _, hub in
            for id in 1...4 { _ = try await hub.queue.publish(Self.job(id, "slow")) }
            _ = try await hub.queue.publish(Self.job(5, "other"))
            _ = try await hub.queue.publish(Self.job(6, "slow", .high))
            _ = try await hub.queue.publish(Self.job(7, route: "another-recipe"))
            // A server counts a message for its consumer a moment after it has stored it.
            while try await hub.queue.backlog().waiting < 7 {}
            let first = try await hub.queue.fetch(QueueFetch(route: "r", limit: 1), wait: Self.wait)
            #expect(first.map(\.body) == [[6]])
            let next = try await hub.queue.fetch(QueueFetch(route: "r", limit: 2), wait: Self.wait)
            #expect(Set(next.map(\.origin)) == ["slow", "other"])
            let rest = try await hub.queue.fetch(
                QueueFetch(route: "r", limit: 9, without: ["slow"]), wait: .zero)
            #expect(rest.isEmpty)
            #expect(try await hub.queue.fetch(Self.all, wait: Self.wait).count == 3)
        }
    }

    @Test(arguments: Backend.installed)
    func `a job that is given back comes again and counts its deliveries`(
        _ backend: Backend
    ) async throws {
        try await QueueBed.with(backend) { _, hub in
            _ = try await hub.queue.publish(Self.job(1))
            let first = try await hub.queue.fetch(Self.all, wait: Self.wait)
            try await hub.queue.retry(first[0], after: .milliseconds(300))
            #expect(try await hub.queue.backlog().count == 1)
            let second = try await hub.queue.fetch(Self.all, wait: Self.wait)
            #expect(second.map(\.count) == [2])
            #expect(try await hub.queue.backlog().redelivered == 1)
            try await hub.queue.finish(second[0])
        }
    }

    @Test(arguments: Backend.installed)
    func `a lease that is renewed doesn't end, and one that isn't does`(
        _ backend: Backend
    ) async throws {
        try await QueueBed.with(backend, { $0.lease = .seconds(5) }) { _, hub in
            _ = try await hub.queue.publish(Self.job(1))
            _ = try await hub.queue.publish(Self.job(2, "other"))
            let taken = try await hub.queue.fetch(Self.all, wait: Self.wait)
            #expect(taken.count == 2)
            let kept = try #require(taken.first { $0.body == [1] })
            // The other one comes back when the queue's own clock ends its lease, and only that.
            var back: [Delivery] = []
            while back.isEmpty {
                try await hub.queue.extend(kept)
                back = try await hub.queue.fetch(Self.all, wait: .seconds(1))
            }
            #expect(back.map(\.body) == [[2]])
            #expect(back.map(\.count) == [2])
            for delivery in back + [kept] { try await hub.queue.finish(delivery) }
            #expect(try await hub.queue.backlog().count == 0)
        }
    }

    @Test(arguments: Backend.installed)
    func `a canceled fetch ends at once, and takes nothing`(_ backend: Backend) async throws {
        let waits = Gate()
        try await QueueBed.with(backend, { $0.idles = { waits.open() } }) { _, hub in
            _ = try await hub.queue.publish(Self.job(1, route: "elsewhere"))
            // A day is longer than the limit of the test.
            let fetch = Task { try await hub.queue.fetch(Self.all, wait: .seconds(86_400)) }
            await waits.wait()
            fetch.cancel()
            await #expect(throws: CancellationError.self) { _ = try await fetch.value }
            _ = try await hub.queue.publish(Self.job(2))
            let taken = try await hub.queue.fetch(Self.all, wait: Self.wait)
            #expect(taken.map(\.body) == [[2]])
        }
    }

    @Test(arguments: Backend.servers)
    func `the jobs of a worker that is killed are delivered to another`(
        _ backend: Backend
    ) async throws {
        try await QueueBed.with(backend, { $0.lease = .seconds(3) }) { bed, hub in
            for id in 1...4 { _ = try await hub.queue.publish(Self.job(id)) }
            let output = Pipe()
            let child = try ChildProgram(
                ChildPrograms.helper, ["queue", bed.url, "r"], environment: bed.environment,
                output: output.fileHandleForWriting)
            try output.fileHandleForWriting.close()
            let handle = output.fileHandleForReading
            let said = try await blocking { handle.availableData }
            #expect(String(decoding: said, as: UTF8.self) == "taken 4\n")
            child.signal(SIGKILL)
            _ = await child.status()
            var seen: Set<[UInt8]> = []
            while seen.count < 4 {
                for delivery in try await hub.queue.fetch(Self.all, wait: Self.wait) {
                    #expect(delivery.count == 2)
                    seen.insert(delivery.body)
                    try await hub.queue.finish(delivery)
                }
            }
            #expect(try await hub.queue.backlog().count == 0)
        }
    }

    @Test(arguments: Backend.installed)
    func `a dead job is kept with its reason, and never delivered again`(
        _ backend: Backend
    ) async throws {
        try await QueueBed.with(backend) { _, hub in
            _ = try await hub.queue.publish(Self.job(1))
            let taken = try await hub.queue.fetch(Self.all, wait: Self.wait)
            try await hub.queue.bury(taken[0], reason: "not a picture", body: [7])
            let dead = try await hub.queue.dead(limit: 5)
            #expect(dead.map(\.reason) == ["not a picture"])
            #expect(dead.map(\.body) == [[7]])
            #expect(dead.map(\.deliveries) == [1])
            let backlog = try await hub.queue.backlog()
            #expect(backlog.count == 0)
            #expect(backlog.dead == 1)
            #expect(try await hub.queue.fetch(Self.all, wait: .zero).isEmpty)
        }
    }

    @Test(arguments: Backend.installed)
    func `many jobs reach several workers, each one of them`(_ backend: Backend) async throws {
        try await QueueBed.with(backend) { bed, hub in
            let count = 200
            let seen = Seen()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let own = try await bed.hub()
                        while seen.all.count < count {
                            let taken = try await own.queue.fetch(
                                QueueFetch(route: "r", limit: 8), wait: .milliseconds(500))
                            for delivery in taken {
                                try await own.queue.finish(delivery)
                                seen.add(delivery.body)
                            }
                        }
                        await own.close()
                    }
                }
                for id in 0..<count {
                    let job = QueueJob(
                        id: "\(id)", route: "r", origin: "o\(id % 3)",
                        body: Array("\(id)".utf8))
                    #expect(try await hub.queue.publish(job))
                }
                try await group.waitForAll()
            }
            #expect(Set(seen.all).count == count)
            #expect(seen.all.count == count)
            #expect(try await hub.queue.backlog().count == 0)
        }
    }

    // MARK: - Servers that die

    @Test(arguments: Backend.cluster)
    func `no job is lost when the server that leads the stream is killed`(
        _ backend: Backend
    ) async throws {
        try await QueueBed.with(backend, { $0.lease = .seconds(3) }) { bed, hub in
            try await Self.survives(bed, hub) { servers in
                let leader = try await servers.leader("\(bed.name)-jobs")
                try await servers.kill(leader)
                return [leader]
            }
        }
    }

    @Test(arguments: Backend.servers)
    func `no job is lost when all servers are killed`(_ backend: Backend) async throws {
        try await QueueBed.with(backend, { $0.lease = .seconds(3) }) { bed, hub in
            try await Self.survives(bed, hub) { servers in
                let all = Array(1...backend.nodes)
                for node in all { try await servers.kill(node) }
                return all
            }
        }
    }

    /// Publishes and takes jobs while servers die, and compares what came with what was confirmed.
    private static func survives(
        _ bed: QueueBed, _ hub: Hub, _ kill: (Servers) async throws -> [Int]
    ) async throws {
        let servers = try #require(bed.servers)
        let count = 300
        let seen = Seen()
        let worker = Task {
            let own = try await bed.hub()
            while !Task.isCancelled {
                // An attempt that fails while no server leads is made again once one does: a call
                // for the backlog is repeated until then.
                guard let taken = try? await own.queue.fetch(all, wait: .milliseconds(500)) else {
                    _ = try? await own.queue.backlog()
                    continue
                }
                for delivery in taken {
                    do {
                        try await own.queue.finish(delivery)
                        seen.add(delivery.body)
                    } catch {
                        // It comes back.
                    }
                }
            }
            await own.close()
        }
        for id in 0..<count {
            if id == count / 3 {
                try await servers.begin(try await kill(servers))
            }
            let job = QueueJob(id: "\(id)", route: "r", origin: "o", body: Array("\(id)".utf8))
            _ = try await hub.queue.publish(job)
        }
        await eventually { Set(seen.all).count == count }
        worker.cancel()
        _ = await worker.result
        #expect(Set(seen.all).count == count)
    }
}
