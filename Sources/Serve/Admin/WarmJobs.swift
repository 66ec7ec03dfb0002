import Catalog
import FoundationEssentials
import Memory
import Pipeline
import Synchronization

/// Runs and remembers the warm runs that were started over HTTP. Thread-safe.
///
/// Runs end with the server. Finished items stay cached, so repeating a run continues it.
final class WarmJobs: Sendable {
    enum State: String, Sendable, Encodable {
        case running, done, failed, cancelled
    }

    /// The state of one run, as it is sent to clients.
    struct Job: Sendable, Encodable {
        var id: String
        var state = State.running
        var startedAt: Date
        var endedAt: Date?
        /// Number of items; `nil` until all pages are read.
        var total: Int?
        /// Progress, with the same member names as the command line's summary.
        var summary = WarmSummary()
        /// Why the run as a whole failed, if it did.
        var reason: String?
    }

    /// Limit of concurrent runs. Each processes ``concurrency`` items at the same time.
    static let maxRunning = 4
    /// Items that a run processes at the same time; few, because clients are served meanwhile.
    static let concurrency = 16
    /// Limit of remembered runs. The oldest ended runs are dropped first.
    static let maxKept = 100

    private struct Kept {
        var job: Job
        var task: Task<Void, Never>?
    }

    private let pipeline: MediaPipeline
    private let kept = Mutex<(jobs: [String: Kept], isOver: Bool)>(([:], false))

    init(_ pipeline: MediaPipeline) { self.pipeline = pipeline }

    /// Starts a run and returns it; `nil` if too many are running or the server is stopping.
    func start(_ request: WarmRequest) -> Job? {
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
        let task = Task { [self] in await run(job.id, request) }
        kept.withLock { kept in
            if kept.isOver { task.cancel() }
            kept.jobs[job.id]?.task = task
        }
        return job
    }

    func job(_ id: String) -> Job? {
        kept.withLock { $0.jobs[id]?.job }
    }

    /// Cancels all runs and returns when they have ended. No run starts afterwards.
    func end() async {
        let tasks = kept.withLock { kept in
            kept.isOver = true
            return kept.jobs.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func run(_ id: String, _ request: WarmRequest) async {
        do {
            let summary = try await pipeline.warm.run(request) { [self] progress in
                update(id) { job in
                    // Reports may arrive out of order.
                    if progress.summary.items > job.summary.items {
                        job.summary = progress.summary
                    }
                    job.total = progress.total ?? job.total
                }
            }
            update(id) { job in
                job.summary = summary
                job.total = summary.items
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
        StateChange.tell()
    }

    /// Returns a reason for clients. Paths and library texts belong in the log.
    private static func sentence(_ error: any Error) -> String {
        (error as? Failure).map { ErrorResponse.problem($0).detail }
            ?? "The run could not be finished."
    }

    private static func newID() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
