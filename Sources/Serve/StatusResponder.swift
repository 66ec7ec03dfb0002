import Catalog
import FoundationEssentials
import HTTPTypes
import JSON
import Pipeline
import Store
import Synchronization

/// Responds to `/v1/status`: a few numbers for people, once or as server-sent events.
struct StatusResponder: Sendable {
    /// The pause between two events.
    private static let pause = Duration.seconds(1)

    private let pipeline: MediaPipeline
    private let metrics: ServiceMetrics
    private let recent = RecentRequests()
    private let listeners = Listeners<[UInt8]>()

    init(_ pipeline: MediaPipeline, _ metrics: ServiceMetrics) {
        self.pipeline = pipeline
        self.metrics = metrics
    }

    func answer(_ request: Request) -> Response {
        var answer: Response =
            Response.wantsEvents(request) ? .events(events) : .unstored(document)
        answer.fields.allowAnyPage()
        answer.fields[.vary] = "Accept"
        return answer
    }

    /// Ends the streams of events, so that their connections can close.
    func endListening() { listeners.end() }

    private func events() -> AsyncStream<[UInt8]> {
        // A client that reads slowly gets the newest numbers.
        let (pieces, piece) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = listeners.add(piece)
        let task = Task {
            while !Task.isCancelled {
                piece.yield(Response.event("status", document.sortedBytes))
                do { try await Task.sleep(for: Self.pause) } catch { break }
            }
            piece.finish()
        }
        piece.onTermination = { [listeners] _ in
            task.cancel()
            listeners.remove(number)
        }
        return pieces
    }

    /// The state of the service for people. It names no item, client or path.
    private var document: JSON {
        let status = pipeline.status
        let requests = metrics.requests.totals
        let recent = recent.add(requests, at: .now)
        let limit = status.disk.limits.bytes < .max ? status.disk.limits.bytes : nil
        return [
            // The part of the thumbnails that were sent from memory or disk, 0 to 1, in the last
            // minutes; `null` if none was requested then.
            "hitRatio": JSON(recent.hitRatio),
            // The seconds that it is of.
            "hitRatioSeconds": .integer(recent.seconds),
            // Since the start.
            "requests": .integer(requests.all),
            "requestsPerSecond": JSON(recent.requestsPerSecond),
            "disk": ["bytes": .integer(status.disk.usage.bytes), "limit": JSON(limit)],
            "memory": [
                "bytes": .integer(status.memory.bytes),
                "limit": .integer(pipeline.configuration.hitBytes),
            ],
            "warming": .list(pipeline.warm.running.all.map(Self.run)),
            "sources": .list(
                pipeline.sources.offered.map { source in
                    // What its operator has to set before it works; `null` if it is complete.
                    ["name": .text(source.name), "missing": JSON(source.missing)]
                }),
        ]
    }

    private static func run(_ run: WarmMonitor) -> JSON {
        let (request, now) = (run.request, run.snapshot)
        return [
            // As on the command line, and for people: `TV shows`.
            "name": .text(request.name), "title": .text(request.title),
            // `null` for items of several sources.
            "source": JSON(request.source),
            // The list's path below the source; `null` for items and URLs.
            "list": JSON(request.list),
            "done": .integer(now.summary.items),
            // `null` until all pages are read.
            "total": JSON(now.total),
            // Items that ended in a second of the last ten; `null` in the first one.
            "perSecond": JSON(now.perSecond),
        ]
    }
}

/// What was requested in the last moments. Any thread.
final class RecentRequests: Sendable {
    struct Recent: Equatable {
        /// Nil if no picture was requested.
        var hitRatio: Double?
        /// The whole seconds that it is of.
        var seconds: Int
        var requestsPerSecond: Double
    }

    private struct State {
        var pictures = RecentRate(window: RecentRequests.ratioWindow)
        var hits = RecentRate(window: RecentRequests.ratioWindow)
        var all = RecentRate(window: RecentRequests.paceWindow)
    }

    /// Seconds that are looked back. A minute or two of looking at pictures show in the ratio.
    private static let ratioWindow = 300.0
    private static let paceWindow = 10.0

    private let begin: ContinuousClock.Instant
    private let state: Mutex<State>

    init(at begin: ContinuousClock.Instant = .now) {
        self.begin = begin
        var state = State()
        state.pictures.add(0, at: 0)
        state.hits.add(0, at: 0)
        state.all.add(0, at: 0)
        self.state = Mutex(state)
    }

    /// Takes the counts since the begin. What is returned is of the time since the oldest call that is
    /// looked back to.
    func add(
        _ counts: (all: Int, pictures: Int, hits: Int), at now: ContinuousClock.Instant
    ) -> Recent {
        let seconds = (now - begin) / .seconds(1)
        return state.withLock { state in
            state.pictures.add(counts.pictures, at: seconds)
            state.hits.add(counts.hits, at: seconds)
            state.all.add(counts.all, at: seconds)
            let pictures = state.pictures.rise
            return Recent(
                hitRatio: pictures > 0 ? Double(state.hits.rise) / Double(pictures) : nil,
                seconds: Int(state.pictures.span),
                requestsPerSecond: state.all.perSecond ?? 0)
        }
    }
}
