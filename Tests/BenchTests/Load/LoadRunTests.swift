import Memory
import Synchronization
import TestSupport
import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct LoadRunTests {
    private func plan(
        _ origin: OriginServer, _ paths: [String] = ["/a"],
        _ change: (inout LoadPlan) -> Void = { _ in }
    ) -> LoadPlan {
        var plan = LoadPlan(port: origin.port, requests: paths.map { .get($0) })
        plan.order = .inTurn
        plan.connections = 4
        plan.limit = 20
        plan.length = .seconds(3_600)
        change(&plan)
        return plan
    }

    /// Answers with five bytes.
    private func origin() async throws -> OriginServer {
        let origin = try await OriginServer.start()
        origin.on("/a", .ok(Array("hello".utf8)))
        return origin
    }

    /// Does so after a time of the clock.
    private func origin(
        taking nanoseconds: UInt64, of clock: VirtualClock
    ) async throws -> OriginServer {
        let origin = try await OriginServer.start()
        origin.on("/a") { _ in
            clock.advance(nanoseconds)
            return .ok(Array("hello".utf8))
        }
        return origin
    }

    @Test func `a closed loop gets every response it asks for`() async throws {
        let origin = try await origin()
        let outcome = try await plan(origin).run()
        #expect(outcome.statuses == [200: 20])
        #expect(outcome.errors == 0)
        #expect(outcome.inTime == 20)
        #expect(outcome.latency.summary?.count == 20)
        #expect(origin.log.count("/a") == 20)
        #expect(origin.log.connections <= 4)
        #expect(outcome.generatorNanoseconds > 0)
    }

    @Test func `each request has a connection of its own if that is wanted`() async throws {
        let origin = try await origin()
        let outcome = try await plan(origin) { $0.closesConnections = true }.run()
        #expect(outcome.statuses == [200: 20])
        #expect(outcome.errors == 0)
        #expect(origin.log.connections == 20)
        // Else the ports of this machine would be used up within a second.
        let asked = origin.log.requests.filter { request in
            request.headers.contains { $0.name.lowercased() == "connection" && $0.value == "close" }
        }
        #expect(asked.count == 20, "the server closes them")
    }

    @Test func `bad responses are counted by what is wrong with them`() async throws {
        let origin = try await OriginServer.start()
        let body = Array("hello".utf8)
        origin.on("/good", .ok(body))
        origin.on("/missing", .status(404))
        origin.on("/short", .ok(Array("hell".utf8)))
        origin.on("/other", .ok(Array("jello".utf8)))
        origin.on("/cut", OriginReply.ok(body).cut(after: 2))
        origin.on("/gone", .nothing)
        origin.on("/garbage", .garbage())
        origin.on("/busy", .status(503))
        let paths = [
            "/good", "/missing", "/short", "/other", "/cut", "/gone", "/garbage", "/busy",
        ]
        var plan = plan(origin, paths) {
            $0.connections = 1
            $0.limit = 8
            $0.checkEvery = 1
        }
        for index in plan.requests.indices {
            plan.requests[index].body = body
            plan.requests[index].length = body.count
        }
        plan.requests[7].statuses = [200, 503]
        let outcome = try await plan.run()
        #expect(
            outcome.faults == [
                .wrongStatus: 1, .wrongLength: 1, .wrongBody: 1, .closed: 2, .malformed: 1,
                .noRetryAfter: 1,
            ])
        #expect(outcome.statuses == [200: 3, 404: 1, 503: 1])
        #expect(outcome.inTime == 1)
        #expect(outcome.latency.summary?.count == 8)
        #expect(
            outcome.firstError == "GET /missing HTTP/1.1 failed: the status was another one (404).")
    }

    @Test func `a 503 with Retry-After is a good response where it is allowed`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/a", .status(503, headers: [("Retry-After", "2")]))
        let outcome = try await plan(origin) { $0.requests[0].statuses = [200, 503] }.run()
        #expect(outcome.errors == 0)
        #expect(outcome.statuses == [503: 20])
    }

    /// The server stalls for a second of this clock with its first response. The other 99 requests were
    /// due meanwhile and are answered at once.
    @Test func `a stall counts for every request that was due in it`() async throws {
        let origin = try await OriginServer.start()
        let clock = VirtualClock()
        let requests = Atomic(0)
        origin.on("/a") { _ in
            if requests.add(1, ordering: .relaxed).oldValue == 0 {
                clock.advance(1_000_000_000)
            }
            return .ok(Array("hello".utf8))
        }
        let outcome = try await plan(origin) {
            $0.pace = .open(perSecond: 100)
            $0.connections = 1
            $0.limit = 100
        }.run(clock: { clock.now })
        let latency = try #require(outcome.latency.summary)
        #expect(outcome.responses == 100)
        // Due every 10 ms, so half of them were due for more than 500 ms.
        let median = try #require(latency[50])
        #expect((490_000...510_000).contains(median))
        #expect(latency.max > 999_000)
        // No connection was free, so the generator itself was late for none of them.
        #expect(outcome.lag.summary?.max == 0)
    }

    @Test func `the generator's own delay is reported apart`() async throws {
        let clock = VirtualClock()
        let origin = try await origin(taking: 1_000_000_000, of: clock)
        let outcome = try await plan(origin) {
            $0.pace = .open(perSecond: 100)
            $0.connections = 2
            $0.limit = 2
        }.run(clock: { clock.now })
        // The second request was due after 10 ms, and the other connection was free all the time.
        let lag = try #require(outcome.lag.summary)
        #expect(lag.count == 2)
        #expect((980_000...2_000_000).contains(lag.max))
    }

    @Test func `a response that takes too long is an error, with the time it took`() async throws {
        let origin = try await OriginServer.start()
        let clock = VirtualClock()
        origin.on("/a") { _ in
            clock.advance(31_000_000_000)
            return .silence
        }
        let outcome = try await plan(origin) {
            $0.connections = 1
            $0.limit = 1
        }.run(clock: {
            // Time advances, so that the loop notices a stop.
            clock.advance(1_000_000)
            return clock.now
        })
        #expect(outcome.faults == [.timedOut: 1])
        #expect(outcome.statuses.isEmpty)
        #expect((outcome.latency.summary?.max ?? 0) >= 31_000_000)
    }

    @Test func `a response after the end doesn't count for the rate`() async throws {
        let clock = VirtualClock()
        let origin = try await origin(taking: 600_000_000, of: clock)
        let outcome = try await plan(origin) {
            $0.connections = 1
            $0.limit = nil
            $0.length = .seconds(1)
        }.run(clock: { clock.now })
        #expect(outcome.statuses == [200: 2])
        #expect(outcome.errors == 0)
        #expect(outcome.inTime == 1)
        #expect(outcome.rate == 1)
    }

    @Test
    func `requests that are due while no connection is free count although they are never sent`()
        async throws
    {
        let clock = VirtualClock()
        let origin = try await origin(taking: 1_000_000_000, of: clock)
        let outcome = try await plan(origin) {
            $0.pace = .open(perSecond: 100)
            $0.connections = 1
            $0.limit = nil
            $0.length = .seconds(1)
        }.run(clock: { clock.now })
        #expect(outcome.responses == 1)
        #expect(outcome.unsent == 99)
        #expect(outcome.latency.summary?.count == 100)
    }

    @Test func `all clients of a herd wait at the same time`() async throws {
        let origin = try await OriginServer.start()
        let gate = Gate()
        origin.on("/a", OriginReply.ok(Array("hello".utf8)).delayed(until: gate))
        async let running = plan(origin) {
            $0.connections = 30
            $0.limit = 30
        }.run()
        try await origin.waitForRequests(30)
        gate.open()
        let outcome = try await running
        #expect(outcome.statuses == [200: 30])
    }

    @Test func `a server that is gone ends the run with a sentence`() async throws {
        let origin = try await OriginServer.start()
        let plan = plan(origin) { $0.limit = nil }
        await origin.stop()
        await #expect(
            throws: LoadError.unanswered(
                "GET /a HTTP/1.1 failed: the connection was refused.")
        ) {
            try await plan.run()
        }
    }

    @Test func `a canceled run stops although no response comes`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/a", .silence)
        let plan = plan(origin)
        let task = Task { try await plan.run() }
        try await origin.waitForRequests(4)
        task.cancel()
        await #expect(throws: LoadError.stopped) { try await task.value }
    }

    @Test func `more connections than files may be open are refused with the limit`() async throws {
        let origin = try await OriginServer.start()
        let limit = OpenFileLimit.current
        let plan = plan(origin) { $0.connections = limit }
        await #expect(throws: LoadError.tooManyFiles(limit: limit)) { try await plan.run() }
        #expect("\(LoadError.tooManyFiles(limit: limit))".contains("ulimit -n"))
    }
}

/// A clock that stands still until it is told to go on.
private final class VirtualClock: Sendable {
    private let nanoseconds = Atomic<UInt64>(0)

    var now: UInt64 { nanoseconds.load(ordering: .acquiring) }

    func advance(_ by: UInt64) { nanoseconds.add(by, ordering: .acquiringAndReleasing) }
}
