import Catalog
import Imaging
import Traces

/// A stage of a miss that runs: its duration for ``MissTimings``, and its span if the request is traced.
///
/// The spans are those of the request that began the miss.
struct MissStage {
    enum Name: String {
        case catalog, fetch, queue, render, store
    }

    private let name: Name
    private let start = ContinuousClock.now
    private let span = Span.begin()

    init(_ name: Name) { self.name = name }

    /// How long it runs.
    var duration: Duration { start.duration(to: .now) }

    /// Runs `work` of this stage, whose requests belong to its span.
    func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        guard let span else { return try await work() }
        return try await span.during(work)
    }

    /// Ends it. Call it once.
    func end(_ attributes: [String: SpanValue] = [:], failure: Failure? = nil) {
        span?.end(name.rawValue, attributes, error: failure.map(SpanError.init))
    }

    /// Ends the fetch of a candidate's original.
    ///
    /// - Parameter original: where it came from, in one word.
    func end(_ candidate: Candidate, _ original: String, _ failure: Failure?) {
        end(
            ["vitrine.candidate": .text(candidate.label), "vitrine.original": .text(original)],
            failure: failure)
    }

    /// Records the wait for a render thread and the render after it.
    ///
    /// - Parameter start: of the wait.
    static func rendered(from start: ContinuousClock.Instant, _ rendering: Rendering) {
        let begun = start + rendering.queued
        Span.begin(at: start)?.end(Name.queue.rawValue, at: begun)
        Span.begin(at: begun)?.end(
            Name.render.rawValue, at: begun + rendering.worked,
            [
                "vitrine.lane": .text(rendering.lane.rawValue),
                "vitrine.format": .text(rendering.info.format.rawValue),
                "vitrine.thumbnails": .number(rendering.thumbnails.count),
            ])
    }

    /// Records a render that failed because of the picture.
    static func failed(from start: ContinuousClock.Instant, _ error: ImagingError) {
        Span.begin(at: start)?.end(
            Name.render.rawValue, error: SpanError(type: error.word, message: "\(error)"))
    }
}

extension SpanError {
    init(_ failure: Failure) {
        self.init(type: failure.kind.rawValue, message: failure.reason)
    }
}
