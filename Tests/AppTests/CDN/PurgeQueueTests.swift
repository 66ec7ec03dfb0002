import Logging
import Pipeline
import Synchronization
import TestSupport
import Testing

@testable import App

/// Telling a cache in front what was purged.
@Suite(.timeLimit(.minutes(1))) struct PurgeQueueTests {
    /// Answers calls as a test says, and remembers them with the pauses between.
    private final class Played: Sendable {
        enum Event: Equatable {
            case call([String], soft: Bool)
            case pause(Duration)
        }

        private let state: Mutex<(errors: [PurgeQueue.CallError?], events: [Event])>
        let gate = Gate()

        init(_ errors: [PurgeQueue.CallError?] = []) { state = Mutex((errors, [])) }

        var events: [Event] { state.withLock { $0.events } }
        var calls: [Event] { events.filter { if case .call = $0 { true } else { false } } }

        func queue(
            _ adjust: (inout PurgeQueue.Limits) -> Void = { _ in }, holds: Bool = false
        ) -> PurgeQueue {
            var limits = PurgeQueue.Limits()
            adjust(&limits)
            return PurgeQueue(
                "url", limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                sleep: { [self] duration in
                    state.withLock { $0.events.append(.pause(duration)) }
                    stateChanged()
                    if holds { await gate.wait() }
                    try Task.checkCancellation()
                }
            ) { [self] (tags, soft) throws(PurgeQueue.CallError) in
                let error = state.withLock { state in
                    state.events.append(.call(tags, soft: soft))
                    return state.errors.isEmpty ? nil : state.errors.removeFirst()
                }
                if let error { throw error }
            }
        }
    }

    @Test func `names wait a moment, are joined, and are sent in batches`() async {
        let played = Played()
        let queue = played.queue({ $0.batch = 2 }, holds: true)
        queue.add(["a", "b"], soft: false)
        queue.add(["b", "c"], soft: false)
        queue.add(["d"], soft: true)
        #expect(queue.waiting == 4)
        played.gate.open()
        #expect(await queue.settled().isEmpty)
        #expect(
            played.events == [
                .pause(.seconds(2)), .call(["a", "b"], soft: false), .call(["c"], soft: false),
                .call(["d"], soft: true),
            ])
    }

    @Test func `a call that fails is repeated after growing pauses`() async {
        let played = Played([.failed("503"), .failed("503"), .failed("503"), nil])
        let queue = played.queue { $0.longestPause = .seconds(3) }
        queue.add(["a"], soft: false)
        #expect(await queue.settled().isEmpty)
        let call = Played.Event.call(["a"], soft: false)
        #expect(
            played.events == [
                .pause(.seconds(2)), call, .pause(.seconds(1)), call, .pause(.seconds(2)), call,
                .pause(.seconds(3)), call,
            ])
    }

    @Test func `after the last attempt names are dropped, and later ones are sent`() async {
        let played = Played([.failed("a"), .failed("b")])
        let queue = played.queue { $0.attempts = 2 }
        queue.add(["a"], soft: false)
        #expect(await queue.settled() == ["b"])
        queue.add(["c"], soft: false)
        #expect(await queue.settled() == ["b"])
        #expect(played.calls.count == 3)
        #expect(played.calls.last == .call(["c"], soft: false))
    }

    @Test func `a refusal is not repeated`() async {
        let played = Played([.refused("It answered 401.")])
        let queue = played.queue()
        queue.add(["a"], soft: false)
        #expect(await queue.settled() == ["It answered 401."])
        #expect(played.calls.count == 1)
    }

    @Test func `with too many names everything is purged instead of some being lost`() async {
        let played = Played()
        let queue = played.queue({ $0.most = 3 }, holds: true)
        queue.add(["a", "b", "c"], soft: true)
        #expect(queue.waiting == 3)
        queue.add(["d"], soft: false)
        #expect(queue.waiting == 1)
        played.gate.open()
        _ = await queue.settled()
        #expect(played.calls == [.call([CacheTag.all], soft: false)])
    }

    @Test func `a service that stops tells what waits at once, and once`() async {
        let played = Played([.failed("down")])
        let queue = played.queue({ $0.batch = 1 }, holds: true)
        queue.add(["a", "b"], soft: false)
        await eventually { played.events == [.pause(.seconds(2))] }
        await queue.close()
        #expect(played.calls == [.call(["a"], soft: false)])
        #expect(queue.waiting == 0)
    }
}
