import HTTPTypes
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Responses when requests exceed the service's capacity.
@Suite(.timeLimit(.minutes(1))) struct OverloadTests {
    /// One miss at a time and one that waits. Show 1 is stored; the others' pictures come when the
    /// gate opens.
    private func harness(_ gate: Gate, waitingRequests: Int = 100) async throws -> Harness {
        let harness = try await Harness(configure: { configuration in
            configuration.load.misses = 1
            configuration.load.waitingMisses = 1
            configuration.load.waitingRequests = waitingRequests
        })
        for id in 1...4 {
            harness.servePicture(
                id, width: 300, height: 400, maxAge: 100, until: id == 1 ? nil : gate)
        }
        _ = await ask(harness, 1)
        await harness.pipeline.pictures.settled()
        return harness
    }

    private func ask(_ harness: Harness, _ id: Int, _ fields: HTTPFields = [:]) async -> Response {
        await ServeTests.ask(harness, "/t/m/tvmaze/show/\(id)", fields)
    }

    private func wait(_ harness: Harness, running: Int, waiting: Int) async {
        await eventually { harness.pipeline.status.missLoad == (running, waiting) }
    }

    @Test func `a full queue is answered 503 with Retry-After, and hits are still served`()
        async throws
    {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness in
            async let second = ask(harness, 2)
            await wait(harness, running: 1, waiting: 0)
            async let third = ask(harness, 3)
            await wait(harness, running: 1, waiting: 1)
            let refused = await ask(harness, 4)
            #expect(refused.status == .serviceUnavailable)
            #expect(refused.fields[.contentType] == "application/problem+json")
            #expect(refused.fields[.retryAfter].flatMap { Int($0) } ?? 0 >= 1)
            #expect(refused.fields[.cacheControl] == "no-store")
            let hit = await ask(harness, 1)
            #expect(hit.status == .ok)
            let tag = try #require(hit.fields[.eTag])
            #expect(await ask(harness, 1, [.ifNoneMatch: tag]).status == .notModified)
            // A request for a picture in flight joins its miss, however full the queue is.
            async let joined = ask(harness, 2)
            await eventually { harness.pipeline.pictures.waiting(for: harness.item(2)) >= 2 }
            gate.open()
            #expect(await [second, third, joined].map(\.status) == [.ok, .ok, .ok])
            await harness.pipeline.pictures.settled()
            #expect(await ask(harness, 4).status == .ok)
        }
    }

    @Test func `requests that wait for one picture are limited too`() async throws {
        let gate = Gate()
        try await withHarness(harness(gate, waitingRequests: 2)) { harness async throws in
            async let first = ask(harness, 2)
            await eventually { harness.pipeline.pictures.waiting(for: harness.item(2)) >= 1 }
            async let second = ask(harness, 2)
            await eventually { harness.pipeline.pictures.waiting(for: harness.item(2)) >= 2 }
            #expect(await ask(harness, 2).status == .serviceUnavailable)
            gate.open()
            #expect(await [first, second].map(\.status) == [.ok, .ok])
        }
    }

    @Test func `a stale picture is served even if no place is free to refresh it`() async throws {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness async throws in
            async let second = ask(harness, 2)
            await wait(harness, running: 1, waiting: 0)
            harness.clock.advance(by: 200)
            let stale = await ask(harness, 1)
            #expect(stale.status == .ok)
            #expect(stale.fields[HTTPField.Name("Cache-Status") ?? .age] == "vitrine; fwd=stale")
            gate.open()
            #expect(await second.status == .ok)
        }
    }
}
