import Catalog
import Imaging
import Traces

/// A stage of a miss that runs: its duration for ``MissTimings``, its place among those of a run, and its
/// span if the request is traced. Ends once, by ``during(_:)`` if the work throws, else by a call.
///
/// The spans are those of the request that began the miss.
struct MissStage {
    private let name: WarmStage.Name
    private let start = ContinuousClock.now
    private let span = Span.begin()
    private let leave: (@Sendable () -> Void)?

    init(_ name: WarmStage.Name) {
        self.name = name
        leave = WarmStages.begin(name)
    }

    /// Spans name what is asked.
    private var spanName: String { name == .resolve ? "catalog" : name.rawValue }

    /// How long it runs.
    var duration: Duration { start.duration(to: .now) }

    /// Runs `work` of this stage, whose requests belong to its span.
    func during<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            guard let span else { return try await work() }
            return try await span.during(work)
        } catch {
            end(error)
            throw error
        }
    }

    func end(_ attributes: [String: SpanValue] = [:], failure: Failure? = nil) {
        leave?()
        span?.end(spanName, attributes, error: failure.map(SpanError.init))
    }

    /// Ends the fetch of a candidate's original.
    ///
    /// - Parameter original: where it came from, in one word.
    func end(_ candidate: Candidate, _ original: String, _ failure: Failure?) {
        end(
            ["vitrine.candidate": .text(candidate.label), "vitrine.original": .text(original)],
            failure: failure)
    }

    /// Ends the wait for a render thread and the render after it, which have a span each.
    func end(_ rendering: Rendering) {
        leave?()
        let begun = start + rendering.queued
        Span.begin(at: start)?.end("queue", at: begun)
        Span.begin(at: begun)?.end(
            spanName, at: begun + rendering.worked,
            [
                "vitrine.lane": .text(rendering.lane.rawValue),
                "vitrine.format": .text(rendering.info.format.rawValue),
                "vitrine.thumbnails": .number(rendering.thumbnails.count),
            ])
    }

    func end(_ error: any Error) {
        leave?()
        span?.end(spanName, error: SpanError(error))
    }

    /// Records that another node's pictures came in place of an original.
    static func restored(from start: ContinuousClock.Instant) {
        Span.begin(at: start)?.end("fetch", ["vitrine.original": "shared"])
    }
}

extension SpanError {
    init(_ failure: Failure) {
        self.init(type: failure.kind.rawValue, message: failure.reason)
    }

    /// Returns nil for errors that say nothing about a picture or its origin, such as cancellation.
    fileprivate init?(_ error: any Error) {
        switch error {
        case let error as Failure: self.init(error)
        case let error as ImagingError: self.init(type: error.word, message: "\(error)")
        default: return nil
        }
    }
}
