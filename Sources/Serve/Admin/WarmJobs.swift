import FoundationEssentials
import Pipeline
import Synchronization

/// Warm runs that were started over HTTP: what they are about, how far they are.
///
/// They end with the server; what was finished by then stays, and the same run goes on from there.
final class WarmJobs: Sendable {
    enum State: String, Sendable, Encodable {
        case running, done, failed, cancelled
    }

    /// One run as it is told.
    struct Job: Sendable, Encodable {
        var id: String
        var state = State.running
        var startedAt: Date
        var endedAt: Date?
        /// Items, once all pages are read.
        var total: Int?
        /// So far, with the names of the command line's summary.
        var summary = WarmSummary()
        /// Why the run as a whole failed.
        var reason: String?
    }

    /// Runs under way at once: each has ``concurrency`` items in hand.
    static let maxRunning = 4
    /// Items of a run in hand at once; few, as clients are served meanwhile.
    static let concurrency = 16
    /// Runs that are remembered; older ones that have ended go.
    static let maxKept = 100

    private struct Kept {
        var job: Job
        var task: Task<Void, Never>?
    }

    private let pipeline: MediaPipeline
    private let kept = Mutex<(jobs: [String: Kept], isOver: Bool)>(([:], false))

    init(_ pipeline: MediaPipeline) { self.pipeline = pipeline }

    /// Starts a run; `nil` where too many are under way.
    func start(_ items: WarmItems, _ warm: @escaping @Sendable () -> Warmer) -> Job? {
        let job = Job(id: Self.newID(), startedAt: pipeline.now())
        let isTaken = kept.withLock { kept in
            let running = kept.jobs.values.count { $0.job.state == .running }
            guard !kept.isOver, running < Self.maxRunning else { return false }
            kept.jobs[job.id] = Kept(job: job)
            let ended = kept.jobs.values.filter { $0.job.state != .running }
                .sorted { $0.job.startedAt < $1.job.startedAt }
            for old in ended.prefix(max(0, kept.jobs.count - Self.maxKept)) {
                kept.jobs[old.job.id] = nil
            }
            return true
        }
        guard isTaken else { return nil }
        // Unstructured, because it outlives the request that started it; ``end()`` cancels it.
        let task = Task { [self] in await run(job.id, items, warm()) }
        kept.withLock { kept in
            if kept.isOver { task.cancel() }
            kept.jobs[job.id]?.task = task
        }
        return job
    }

    func job(_ id: String) -> Job? {
        kept.withLock { $0.jobs[id]?.job }
    }

    /// Cancels what runs and returns when it has ended; nothing starts any more.
    func end() async {
        let tasks = kept.withLock { kept in
            kept.isOver = true
            return kept.jobs.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func run(_ id: String, _ items: WarmItems, _ warmer: Warmer) async {
        do {
            let summary = try await warmer.run(items) { [self] _, summary in
                update(id) { job in
                    // Reports may overtake each other.
                    if summary.items > job.summary.items { job.summary = summary }
                    job.total = items.total
                }
            }
            update(id) { job in
                job.summary = summary
                job.total = items.total
                job.state = .done
            }
        } catch is CancellationError {
            update(id) { $0.state = .cancelled }
        } catch {
            update(id) { job in
                job.state = .failed
                job.reason = Self.sentence(error)
            }
        }
        let now = pipeline.now()
        update(id) { $0.endedAt = now }
    }

    private func update(_ id: String, _ change: (inout Job) -> Void) {
        kept.withLock { kept in
            guard var job = kept.jobs[id]?.job else { return }
            change(&job)
            kept.jobs[id]?.job = job
        }
    }

    /// As a client is told: paths and library texts belong in the log.
    private static func sentence(_ error: any Error) -> String {
        (error as? PipelineError).map { ErrorResponse.problem($0).detail }
            ?? "The run could not be finished."
    }

    private static func newID() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
