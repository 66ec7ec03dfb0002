import FoundationEssentials
import Logging
import Metrics
import Synchronization
import TestSupport
import Testing
import Threads

@testable import App
@testable import Traces

/// Spans on their way to a collector.
@Suite(.timeLimit(.minutes(1))) struct SpanQueueTests {
    /// Answers messages as a test says, and remembers them with the pauses between.
    private final class Played: Sendable {
        enum Event: Equatable {
            case message([String])
            case pause(Duration)
        }

        private let state: Mutex<(ends: [SpanQueue.End], events: [Event])>
        /// Closed while pauses last.
        let gate = Gate()
        /// Closed while the collector hangs.
        let collector = Gate()
        let counters = SpanQueue.counters(MetricRegistry())

        init(_ ends: [SpanQueue.End] = [], hangs: Bool = false) {
            state = Mutex((ends, []))
            if !hangs { collector.open() }
        }

        var events: [Event] { state.withLock { $0.events } }

        var counts: [String: Int] {
            Dictionary(
                uniqueKeysWithValues: counters.all.map { ($0.key.joined(), $0.value.value) })
        }

        func queue(
            holds: Bool = false, _ adjust: (inout SpanQueue.Limits) -> Void = { _ in }
        ) -> SpanQueue {
            if !holds { gate.open() }
            var limits = SpanQueue.Limits()
            adjust(&limits)
            return SpanQueue(
                limits, counters, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                sleep: { [self] duration in
                    state.withLock { $0.events.append(.pause(duration)) }
                    stateChanged()
                    await gate.wait()
                    try Task.checkCancellation()
                }
            ) { [self] spans in
                let end = state.withLock { state in
                    state.events.append(.message(spans.map(\.name)))
                    return state.ends.isEmpty ? .taken(rejected: 0) : state.ends.removeFirst()
                }
                stateChanged()
                await collector.wait()
                return Task.isCancelled ? .failed("canceled") : end
            }
        }
    }

    private func span(_ name: String) -> SpanRecord {
        SpanRecord(
            context: TraceContext(trace: .random(), span: 1, isSampled: true, state: ""),
            parent: nil, hasRemoteParent: false, name: name, kind: .internal, start: 1, end: 2,
            attributes: [:], error: nil, links: [])
    }

    private func settled(_ queue: SpanQueue) async {
        await eventually { queue.isIdle }
    }

    @Test func `spans wait a moment and are sent together`() async {
        let played = Played()
        let queue = played.queue(holds: true)
        for name in ["a", "b", "c"] { queue.add(span(name)) }
        await eventually { played.events == [.pause(.seconds(5))] }
        #expect(queue.waiting == 3)
        played.gate.open()
        await settled(queue)
        #expect(played.events == [.pause(.seconds(5)), .message(["a", "b", "c"])])
        #expect(played.counts == ["sent": 3])
    }

    @Test func `a full message is sent at once`() async {
        let played = Played()
        let queue = played.queue(holds: true) { $0.batch = 2 }
        queue.add(span("a"))
        await eventually { played.events == [.pause(.seconds(5))] }
        queue.add(span("b"))
        await eventually { played.events.last == .message(["a", "b"]) }
        #expect(!played.events.contains(.message(["a"])))
        await settled(queue)
    }

    @Test func `a full queue drops further spans and counts them`() async {
        let played = Played()
        let queue = played.queue(holds: true) {
            $0.most = 2
            $0.batch = 2
        }
        // The collector hangs, so nothing leaves the queue.
        let hanging = Played(hangs: true)
        let stuck = hanging.queue {
            $0.most = 2
            $0.batch = 1
        }
        stuck.add(span("a"))
        await eventually { hanging.events.contains(.message(["a"])) }
        for name in ["b", "c", "d", "e"] { stuck.add(span(name)) }
        #expect(stuck.waiting == 2)
        #expect(hanging.counts == ["full": 2])
        hanging.collector.open()
        await settled(stuck)
        #expect(hanging.counts == ["full": 2, "sent": 3])
        #expect(queue.waiting == 0)
    }

    @Test func `a failed message is repeated after growing pauses, then dropped and counted`()
        async
    {
        let away = SpanQueue.End.failed("no connection")
        let played = Played([away, away, away, away])
        let queue = played.queue()
        queue.add(span("a"))
        await settled(queue)
        let message = Played.Event.message(["a"])
        #expect(
            played.events == [
                .pause(.seconds(5)), message, .pause(.seconds(1)), message, .pause(.seconds(2)),
                message, .pause(.seconds(4)), message,
            ])
        #expect(played.counts == ["failed": 1])
        queue.add(span("b"))
        await settled(queue)
        #expect(played.events.last == .message(["b"]))
        #expect(played.counts == ["failed": 1, "sent": 1])
    }

    @Test func `a pause that the collector asks for is kept, also before the next message`() async {
        let busy = SpanQueue.End.failed("It answered 429.", pause: .seconds(30))
        let played = Played([busy, busy, .failed("503", pause: .seconds(86_400))])
        let queue = played.queue { $0.attempts = 2 }
        queue.add(span("a"))
        await settled(queue)
        let message = Played.Event.message(["a"])
        #expect(
            played.events == [
                .pause(.seconds(5)), message, .pause(.seconds(30)), message, .pause(.seconds(30)),
            ])
        // A mistake must not stop it for a day.
        queue.add(span("b"))
        await settled(queue)
        #expect(played.events.contains(.pause(.seconds(300))))
        #expect(played.counts == ["failed": 1, "sent": 1])
    }

    @Test func `a refusal is not repeated, and rejected spans are counted`() async {
        let played = Played([.refused("It answered 400."), .taken(rejected: 1)])
        // No message is sent before it is full.
        let queue = played.queue(holds: true) { $0.batch = 2 }
        for name in ["a", "b", "c", "d"] { queue.add(span(name)) }
        await settled(queue)
        #expect(played.counts == ["failed": 2, "rejected": 1, "sent": 1])
    }

    @Test func `a service that stops sends what waits at once`() async {
        let played = Played()
        let queue = played.queue(holds: true)
        queue.add(span("a"))
        await eventually { played.events == [.pause(.seconds(5))] }
        await queue.close()
        #expect(played.events.contains(.message(["a"])))
        queue.add(span("late"))
        #expect(played.counts == ["failed": 1, "sent": 1])
    }

    @Test func `a service that stops tries once, and counts the rest`() async {
        let played = Played([.failed("no connection")], hangs: true)
        let queue = played.queue(holds: true) { $0.batch = 1 }
        let message = Played.Event.message(["a"])
        queue.add(span("a"))
        await eventually { played.events == [message] }
        for name in ["b", "c"] { queue.add(span(name)) }
        async let closed: Void = queue.close()
        // It stops from here on.
        await eventually { played.events == [message, .pause(.seconds(2))] }
        played.collector.open()
        await closed
        #expect(played.events == [message, .pause(.seconds(2))])
        #expect(played.counts == ["failed": 3])
    }

    @Test func `a collector that hangs doesn't keep a service from stopping`() async {
        let played = Played(hangs: true)
        let queue = played.queue()
        queue.add(span("a"))
        await eventually { played.events.contains(.message(["a"])) }
        await queue.close()
        #expect(played.events.last == .pause(.seconds(2)))
        #expect(played.counts == ["failed": 1])
    }
}
