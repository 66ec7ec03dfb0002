import Logging
import Metrics
import Synchronization
import Threads
import Traces

/// Spans that wait until the collector has them. A request never waits for it.
///
/// The queue is bounded. While the collector is away, spans are dropped and counted.
final class SpanQueue: Sendable {
    /// How the collector answered one message.
    enum End: Sendable, Equatable {
        /// It has the spans, except for that many.
        case taken(rejected: Int)
        /// The next try may succeed, after that time if it named one.
        case failed(String, pause: Duration? = nil)
        /// It won't take these spans.
        case refused(String)
    }

    typealias Send = @Sendable ([SpanRecord]) async -> End

    struct Limits: Sendable, Equatable {
        /// Spans that wait. Further ones are dropped.
        var most = 2_048
        /// Spans of one message.
        var batch = 512
        /// How long the first span of a message waits for others.
        var delay = Duration.seconds(5)
        /// Tries with the same spans, including the first.
        var attempts = 4
        /// Between two tries, doubled each time.
        var pause = Duration.seconds(1)
        /// Limit of a pause that the collector asks for. Spans are dropped meanwhile, and a mistake
        /// must not stop them for good.
        var longestPause = Duration.seconds(300)
        /// For what waits when the service stops.
        var closing = Duration.seconds(2)
    }

    private struct State {
        var waiting: [SpanRecord] = []
        /// Sends until nothing waits.
        var task: Task<Void, Never>?
        var sleep: Task<Void, any Error>?
        /// Whether the sleep ends once a whole message waits.
        var sleepsForMore = false
        var isClosing = false
        /// Whether the last spans were dropped because the collector didn't take them.
        var isAway = false
    }

    private let limits: Limits
    private let spans: Labeled<Counter>
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let send: Send
    private let state = Mutex(State())

    /// - Parameters:
    ///   - spans: counts them by result.
    ///   - sleep: waits, or ends with an error once its task is canceled.
    init(
        _ limits: Limits, _ spans: Labeled<Counter>, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }, _ send: @escaping Send
    ) {
        self.limits = limits
        self.spans = spans
        self.logger = logger
        self.sleep = sleep
        self.send = send
    }

    /// Declares the counts of spans.
    static func counters(_ registry: MetricRegistry) -> Labeled<Counter> {
        registry.counters(
            "vitrine_trace_spans_total",
            "Spans by result: sent, rejected by the collector, failed (dropped because the collector "
                + "did not take them), full (dropped because too many waited).",
            by: "result")
    }

    /// Queues a span. Returns at once.
    func add(_ span: SpanRecord) {
        let dropped: String? = state.withLock { state in
            if state.isClosing { return "failed" }
            if state.waiting.count >= limits.most { return "full" }
            state.waiting.append(span)
            if state.sleepsForMore, state.waiting.count >= limits.batch { state.sleep?.cancel() }
            guard state.task == nil else { return nil }
            // Detached, so that it has nothing of the request that ended first.
            state.task = Task.detached { [self] in
                await pause(limits.delay, forMore: true)
                while let batch = take() {
                    await deliver(batch)
                    await pause(limits.delay, forMore: true)
                }
            }
            return nil
        }
        if let dropped { spans[dropped].add() }
    }

    /// Spans that wait, without those of the message under way.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Whether nothing waits and no message is under way.
    var isIdle: Bool { state.withLock { $0.task == nil } }

    /// Sends what waits once more, and drops what fails or takes too long. Further spans are dropped.
    func close() async {
        let task = state.withLock { state in
            state.isClosing = true
            state.sleep?.cancel()
            return state.task
        }
        guard let task else { return }
        let limit = Task { [sleep, limits] in
            try await sleep(limits.closing)
            task.cancel()
        }
        await task.value
        limit.cancel()
    }

    /// Returns nil and ends the task if nothing waits.
    private func take() -> [SpanRecord]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.task = nil
                StateChange.tell()
                return nil
            }
            let batch = Array(state.waiting.prefix(limits.batch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    private func deliver(_ batch: [SpanRecord]) async {
        var pause = limits.pause
        for attempt in 1...limits.attempts {
            switch await send(batch) {
            case .taken(let rejected):
                return taken(batch.count, rejected: rejected)
            case .refused(let reason):
                return drop(batch.count, reason)
            case .failed(let reason, let asked):
                let isLast = attempt == limits.attempts || state.withLock { $0.isClosing }
                if isLast { drop(batch.count, reason) }
                // After the last try, so that the next message doesn't come too early.
                if let asked {
                    await self.pause(min(asked, limits.longestPause))
                } else if !isLast {
                    await self.pause(pause)
                }
                if isLast { return }
                pause *= 2
            }
        }
    }

    private func taken(_ count: Int, rejected: Int) {
        let rejected = min(count, max(0, rejected))
        spans["sent"].add(count - rejected)
        if rejected > 0 { spans["rejected"].add(rejected) }
        let wasAway = state.withLock { state in
            defer { state.isAway = false }
            return state.isAway
        }
        if wasAway { logger.notice("the collector of traces takes spans again") }
        StateChange.tell()
    }

    private func drop(_ count: Int, _ reason: String) {
        // What waits would fail, too, and a closing service doesn't wait for it.
        let (all, isNews) = state.withLock { state in
            defer { state.isAway = true }
            guard state.isClosing else { return (count, !state.isAway) }
            defer { state.waiting = [] }
            return (count + state.waiting.count, !state.isAway)
        }
        spans["failed"].add(all)
        if isNews {
            logger.warning(
                "the collector of traces took no spans; they are dropped until it does",
                metadata: ["reason": "\(reason)", "spans": .stringConvertible(all)])
        }
        StateChange.tell()
    }

    /// - Parameter forMore: ends once a whole message waits.
    private func pause(_ duration: Duration, forMore: Bool = false) async {
        let sleeping = state.withLock { state in
            if state.isClosing { return nil as Task<Void, any Error>? }
            if forMore, state.waiting.count >= limits.batch || state.waiting.isEmpty { return nil }
            let task = Task { [sleep] in try await sleep(duration) }
            (state.sleep, state.sleepsForMore) = (task, forMore)
            return task
        }
        // It ends early when the service closes.
        _ = await sleeping?.result
        state.withLock { ($0.sleep, $0.sleepsForMore) = (nil, false) }
    }
}
