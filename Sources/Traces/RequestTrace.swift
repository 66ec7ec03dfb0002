package import FoundationEssentials
import Synchronization

/// Traces requests. Any thread.
package final class Tracer: Sendable {
    private let sampler: Sampler
    /// Whether requests to origins carry `traceparent`.
    let tellsOrigins: Bool
    fileprivate let ended: @Sendable (SpanRecord) -> Void

    /// - Parameter ended: gets each span of a sampled trace. It is called by the thread that ended the
    ///   span, so it returns at once.
    package init(
        _ sampler: Sampler, tellsOrigins: Bool, ended: @escaping @Sendable (SpanRecord) -> Void
    ) {
        self.sampler = sampler
        self.tellsOrigins = tellsOrigins
        self.ended = ended
    }

    /// Begins the trace of a request that has just arrived. Returns nil if it isn't sampled, unless origins
    /// have to know that.
    ///
    /// - Parameter parent: the client's span; nil begins a new trace.
    package func begin(_ parent: TraceContext?, at now: Date) -> RequestTrace? {
        let id = parent?.trace ?? .random()
        let isSampled = sampler.samples(id, parent: parent)
        guard isSampled || tellsOrigins else { return nil }
        let context = TraceContext(
            trace: id, span: .random(in: 1 ... .max), isSampled: isSampled,
            state: parent?.state ?? "")
        return RequestTrace(self, context, parent: parent, at: now)
    }
}

/// The trace of one request. It has spans only if the request waited for work. Any thread.
package final class RequestTrace: Sendable {
    @TaskLocal private static var current: RequestTrace?

    package let context: TraceContext
    let tracer: Tracer
    let start = ContinuousClock.now
    private let parent: TraceContext?
    /// The wall clock at the start. Later times are counted from it, so that no span ends before it begins when
    /// the clock is set.
    private let wall: UInt64
    private let didWork = Atomic(false)

    fileprivate init(
        _ tracer: Tracer, _ context: TraceContext, parent: TraceContext?, at now: Date
    ) {
        self.tracer = tracer
        self.context = context
        self.parent = parent
        wall = UInt64(max(0, now.timeIntervalSince1970) * 1e9)
    }

    /// Runs the work of a request, traced unless `trace` is nil.
    package static func during<Value>(
        _ trace: RequestTrace?, _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard let trace else { return try await work() }
        return try await $current.withValue(trace, operation: work)
    }

    /// Runs work for which the current request waits. Its spans, and those of tasks that it starts, are
    /// children of the request's. Without a traced request it only runs it.
    package static func working<Value>(
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard let current else { return try await work() }
        current.didWork.store(true, ordering: .relaxed)
        return try await Span(current.context, of: current).during(work)
    }

    /// Whether the request has spans: it is sampled and waited for work.
    package var isKept: Bool { context.isSampled && didWork.load(ordering: .relaxed) }

    /// Ends the request's own span. It leaves nothing unless ``isKept``.
    package func end(
        _ name: String, _ attributes: [String: SpanValue], error: SpanError? = nil
    ) {
        guard isKept else { return }
        hand(
            SpanRecord(
                context: context, parent: parent?.span, hasRemoteParent: parent != nil, name: name,
                kind: .server, start: wall, end: time(.now), attributes: attributes, error: error,
                links: []))
    }

    func hand(_ span: SpanRecord) { tracer.ended(span) }

    /// Returns nanoseconds since 1970.
    func time(_ instant: ContinuousClock.Instant) -> UInt64 {
        wall + UInt64(max(0, (instant - start) / .nanoseconds(1)))
    }
}

/// Decides which requests are traced. Pure.
package struct Sampler: Sendable, Equatable {
    /// Ids of 63 bits below this are taken: from none to all.
    private let bound: UInt64
    /// Whether the client's decision counts, if it made one.
    private let followsParent: Bool

    /// - Parameter share: of the traces, from 0 to 1.
    package init(share: Double, followsParent: Bool) {
        bound = UInt64(min(1, max(0, share)) * 0x1p63)
        self.followsParent = followsParent
    }

    /// All services that take the same share decide alike, because they look at the same random bits
    /// of the trace's id.
    ///
    /// - Parameter parent: the client's span; nil without one.
    func samples(_ trace: TraceContext.TraceID, parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        return trace.low >> 1 < bound
    }
}
