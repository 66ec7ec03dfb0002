import Catalog
import Fetch
import Imaging
import PipelineSupport
import TestSupport
import Testing

@testable import Pipeline

/// What one source's slow host, or one client, may take from others.
@Suite(.timeLimit(.minutes(1))) struct FairSharesTests {
    private enum Ending: Sendable {
        case answered, refused
        case failed(any Error)
    }

    /// TVmaze's API takes one call, whose answer waits for the gate; all others wait for their turn.
    private func harness(_ gate: Gate) async throws -> Harness {
        let harness = try await Harness({ fetching in
            fetching.hosts = [(HostPattern(Harness.apiHost), HostPolicy(maxConcurrent: 1))]
        })
        harness.origin.on(
            "/shows/*", host: Harness.apiHost, .json(Harness.show(1)).delayed(until: gate))
        return harness
    }

    private func ending(_ work: () async throws -> Void) async -> Ending {
        do {
            try await work()
            return .answered
        } catch let failure as Failure where failure.kind == .overloaded {
            return .refused
        } catch {
            return .failed(error)
        }
    }

    /// Runs `body` while 340 callers ask for something of TVmaze; 20 more than there is room for.
    private func withFlood(
        _ ask: @escaping @Sendable (_ number: Int) async throws -> Void,
        _ body: (_ refusal: () async -> Void) async throws -> Void
    ) async throws {
        await withTaskGroup(of: Ending.self) { group in
            for number in 1...340 { group.addTask { await ending { try await ask(number) } } }
            for _ in 0..<20 {
                guard case .refused = await group.next() else {
                    Issue.record("only what there is no room for ends at once")
                    return
                }
            }
            do {
                try await body {
                    guard case .refused = await group.next() else {
                        Issue.record("nothing but a refusal ends while all wait")
                        return
                    }
                }
            } catch {
                Issue.record(error)
            }
            group.cancelAll()
        }
    }

    @Test func `cold pictures of a slow host hold back no picture of another`() async throws {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness in
            harness.serveMuseum()
            try await withFlood({ _ = try await harness.picture($0) }) { refusal in
                #expect(harness.pipeline.status.missLoad == (0, 320))
                let level = try harness.pipeline.level("m")
                let answer = try await harness.pipeline.pictures.picture(
                    of: harness.museumObject(), level: level, format: .jpeg)
                #expect(answer.outcome == .miss)
                #expect(!answer.picture.isPlaceholder)
                await refusal()
                await harness.pipeline.pictures.settled()
                // It took the room of one of them, which all still wait.
                await eventually { harness.pipeline.status.missLoad == (0, 319) }
            }
            gate.open()
        }
    }

    @Test func `items looked up at a slow host hold back no item of another`() async throws {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness in
            harness.serveMuseum()
            try await withFlood({
                _ = try await harness.pipeline.catalog.details(of: harness.item($0))
            }) {
                _ in
                let details = try await harness.pipeline.catalog.details(of: harness.museumObject())
                #expect(details.outcome == .miss)
                #expect(harness.pipeline.status.lookupLoad.running == 48)
            }
            gate.open()
        }
    }

    @Test func `a client that floods a source is refused in place of another client`() async throws
    {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness in
            let flood: @Sendable (Int) async throws -> Void = { number in
                try await withRequester("192.0.2.1") { _ = try await harness.picture(number) }
            }
            try await withFlood(flood) { refusal in
                async let other = withRequester("192.0.2.2") { try await harness.picture(341) }
                await refusal()
                // One of the flood left, the other client is in its place.
                await eventually {
                    await harness.pipeline.origins.reduce(0) { $0 + $1.waiting + $1.running } == 320
                }
                // From here on all are answered, one after the other.
                gate.open()
                try await harness.origin.wait { $0.count("/shows/341") > 0 }
                let before = harness.origin.log.requests.prefix { $0.path != "/shows/341" }
                #expect(before.count { $0.host == Harness.apiHost } < 40)
                _ = try await other
            }
        }
    }
}
