import Catalog
import FoundationEssentials
import HTTPTypes
import Pipeline
import Store
import Synchronization

/// Responds to `/v1/status`: a few numbers for people, once or as server-sent events.
struct StatusResponder: Sendable {
    /// The pause between two events.
    private static let pause = Duration.seconds(1)

    private let pipeline: MediaPipeline
    private let metrics: ServiceMetrics
    private let pace: RequestPace
    private let listeners = Listeners()

    init(_ pipeline: MediaPipeline, _ metrics: ServiceMetrics) {
        self.pipeline = pipeline
        self.metrics = metrics
        pace = RequestPace(at: pipeline.now())
    }

    func answer(_ request: Request) -> Response {
        var answer = Response(
            status: .ok,
            fields: [
                .contentType: "application/json", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff", .accessControlAllowOrigin: "*",
                .vary: "Accept",
            ])
        guard EventBody.isWanted(by: request) else {
            answer.body = JSON.encode(document)
            return answer
        }
        answer.fields[.contentType] = EventBody.contentType
        answer.events = EventBody { events() }
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
                piece.yield(
                    Array("event: status\ndata: ".utf8) + JSON.encode(document)
                        + Array("\n\n".utf8))
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

    private var document: StatusDocument {
        let status = pipeline.status
        let requests = metrics.requestCounts()
        return StatusDocument(
            hitRatio: requests.pictures > 0
                ? Double(requests.hits) / Double(requests.pictures) : nil,
            requests: requests.all,
            requestsPerSecond: pace.rate(of: requests.all, at: pipeline.now()),
            disk: .init(
                bytes: status.disk.usage.bytes,
                limit: status.disk.limits.bytes < .max ? status.disk.limits.bytes : nil),
            memory: .init(bytes: status.memory.bytes, limit: pipeline.configuration.hitBytes),
            warming: pipeline.warm.running.all.map { name, now in
                .init(name: name, done: now.summary.items, total: now.total)
            },
            sources: pipeline.sources.all.map { .init(name: $0.name, missing: $0.missing) })
    }

    private final class Listeners: Sendable {
        private struct State {
            var pieces: [UInt64: AsyncStream<[UInt8]>.Continuation] = [:]
            var last: UInt64 = 0
            var isOver = false
        }

        private let state = Mutex(State())

        func add(_ piece: AsyncStream<[UInt8]>.Continuation) -> UInt64 {
            let (number, isOver) = state.withLock { state in
                state.last += 1
                if !state.isOver { state.pieces[state.last] = piece }
                return (state.last, state.isOver)
            }
            if isOver { piece.finish() }
            return number
        }

        func remove(_ number: UInt64) {
            state.withLock { _ = $0.pieces.removeValue(forKey: number) }
        }

        func end() {
            let pieces = state.withLock { state in
                state.isOver = true
                defer { state.pieces = [:] }
                return Array(state.pieces.values)
            }
            for piece in pieces { piece.finish() }
        }
    }
}

/// The state of the service for people. It names no item, client or path.
struct StatusDocument: Encodable {
    struct Part: Encodable {
        var bytes: Int
        /// Nil without a limit.
        @Nullable var limit: Int?
    }

    struct Run: Encodable {
        /// As on the command line.
        var name: String
        var done: Int
        /// Nil until all pages are read.
        @Nullable var total: Int?
    }

    struct SourceState: Encodable {
        var name: String
        /// What its operator has to set before it works; nil if it is complete.
        @Nullable var missing: String?
    }

    /// The part of the thumbnails that were sent from memory or disk, 0 to 1; nil before the first.
    @Nullable var hitRatio: Double?
    /// Since the start.
    var requests: Int
    var requestsPerSecond: Double
    var disk: Part
    var memory: Part
    var warming: [Run]
    var sources: [SourceState]
}

/// Requests per second of the last moments.
final class RequestPace: Sendable {
    /// Seconds that are looked back.
    private static let window = 10.0
    private static let least = 0.5

    private let samples: Mutex<[(at: Date, count: Int)]>

    init(at now: Date) { samples = Mutex([(now, 0)]) }

    /// Notes a count, and returns how fast it rose since the oldest one in the window.
    func rate(of count: Int, at now: Date) -> Double {
        samples.withLock { samples in
            if let last = samples.last, now.timeIntervalSince(last.at) >= Self.least {
                samples.append((now, count))
            }
            // One that is older stays, so that there is always something to compare with.
            while samples.count > 2, now.timeIntervalSince(samples[1].at) > Self.window {
                samples.removeFirst()
            }
            guard let first = samples.first else { return 0 }
            let seconds = now.timeIntervalSince(first.at)
            return seconds >= Self.least ? max(0, Double(count - first.count) / seconds) : 0
        }
    }
}
