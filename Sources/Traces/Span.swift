import Synchronization

/// A piece of a traced request's work that has begun. Any thread.
///
/// Spans that begin in a task are children of its current one. A span that isn't ended leaves nothing.
package final class Span: Sendable {
    /// The span of which the current task's spans are children; nil if its work isn't traced.
    @TaskLocal package static var current: Span?

    private struct Notes {
        var kind = SpanRecord.Kind.internal
        var attributes: [String: SpanValue] = [:]
    }

    package let context: TraceContext
    /// Nil for the request's own span.
    private let parent: Span?
    private let request: RequestTrace
    private let start: ContinuousClock.Instant
    private let notes = Mutex(Notes())

    /// The span of a request itself.
    init(_ context: TraceContext, of request: RequestTrace) {
        self.context = context
        parent = nil
        self.request = request
        start = request.start
    }

    private init(below parent: Span, at start: ContinuousClock.Instant) {
        context = parent.context.child()
        self.parent = parent
        request = parent.request
        self.start = start
    }

    /// Begins a child of the current span. Returns nil if there is none.
    package static func begin(at start: ContinuousClock.Instant = .now) -> Span? {
        current.map { Span(below: $0, at: start) }
    }

    /// Runs `work` with this span as the current one.
    package func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(self, operation: work)
    }

    /// Adds what is known of the request that this span's work made to another server. The span of the
    /// client's own request ignores it.
    package func asked(_ attributes: [String: SpanValue]) {
        guard parent != nil else { return }
        notes.withLock { notes in
            notes.kind = .client
            notes.attributes.merge(attributes) { $1 }
        }
    }

    /// Header fields for a request to an origin; empty unless the settings say that origins get them.
    package var fields: [(name: String, value: String)] {
        guard request.tracer.tellsOrigins else { return [] }
        let state = context.state.isEmpty ? [] : [(name: "tracestate", value: context.state)]
        return [(name: "traceparent", value: context.parent)] + state
    }

    /// Ends the span and hands it over, if the trace is sampled. Returns at once.
    ///
    /// - Parameters:
    ///   - end: the current time by default.
    ///   - attributes: added to those of ``asked(_:)``.
    package func end(
        _ name: String, at end: ContinuousClock.Instant = .now,
        _ attributes: [String: SpanValue] = [:], error: SpanError? = nil,
        links: [TraceContext] = []
    ) {
        guard context.isSampled else { return }
        let notes = notes.withLock { $0 }
        request.hand(
            SpanRecord(
                context: context, parent: parent?.context.span, hasRemoteParent: false, name: name,
                kind: notes.kind, start: request.time(start), end: request.time(max(start, end)),
                attributes: notes.attributes.merging(attributes) { $1 }, error: error,
                links: links.filter(\.isSampled)))
    }
}
