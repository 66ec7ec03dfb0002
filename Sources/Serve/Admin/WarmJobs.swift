import Catalog
import FoundationEssentials
import HTTP
import Pipeline
import Synchronization
import Threads

/// Runs and remembers the warm runs of this service. Thread-safe.
///
/// Runs end with the server. Finished items stay cached, so repeating a run continues it.
final class WarmJobs: Sendable {
    enum State: String, Sendable, Encodable {
        case running, done, failed, canceled
    }

    /// The state of one run, as it is sent to clients.
    struct Job: Sendable, Encodable {
        /// An item without its first choice.
        struct Problem: Sendable, Encodable {
            var item: String
            /// `fallback`, `placeholder` or `failed`.
            var status: String
            var reason: String
        }

        var id: String
        /// What is warmed, as on the command line.
        var name: String
        /// Whether `warm.jobs` began it.
        var isScheduled = false
        var state = State.running
        /// Whether it ended without all pictures: items failed, were evicted or not pinned, or a page was stale.
        var isPartial = false
        var startedAt: Date
        var endedAt: Date?
        /// Number of items; `nil` until all pages are read.
        var total: Int?
        /// Items that are known and did not begin yet.
        var waiting = 0
        var stages: [WarmStage] = []
        /// Progress, with the same member names as the command line's summary.
        var summary = WarmSummary()
        /// The result of a dry run.
        var forecast: WarmForecast?
        /// The first items without their first choice, and how many more there are.
        var problems: [Problem] = []
        var furtherProblems = 0
        /// Why the run as a whole failed, if it did.
        var reason: String?
    }

    /// Limit of concurrent runs. Each processes ``concurrency`` items at the same time.
    static let maxRunning = 4
    /// Items that a run processes at the same time; few, because clients are served meanwhile.
    static let concurrency = 16
    /// Limit of remembered runs. The oldest ended runs are dropped first.
    static let maxKept = 100
    /// Limit of a run's named problems, and of its failed items, which a retry repeats.
    static let maxProblems = 100
    static let maxFailed = 10_000
    /// The pause between two reports to one listener.
    private static let pause = Duration.milliseconds(250)

    private struct Kept {
        var job: Job
        var monitor: WarmMonitor
        var task: Task<Void, Never>?
        var failed: [Item] = []
        let listeners = Listeners<Void>()
    }

    private struct All {
        var jobs: [String: Kept] = [:]
        var isOver = false
    }

    private let pipeline: MediaPipeline
    private let kept = Mutex(All())

    init(_ pipeline: MediaPipeline) { self.pipeline = pipeline }

    /// Starts a run and returns it; `nil` if too many are running or the server is stopping.
    func start(_ request: WarmRequest, isDry: Bool = false, isScheduled: Bool = false) -> Job? {
        var job = Job(id: RequestID.random, name: request.name, startedAt: pipeline.now())
        job.isScheduled = isScheduled
        let monitor = pipeline.warm.monitor(request)
        let isTaken = kept.withLock { [job] kept in
            let running = kept.jobs.values.count { $0.job.state == .running }
            guard !kept.isOver, running < Self.maxRunning else { return false }
            kept.jobs[job.id] = Kept(job: job, monitor: monitor)
            let ended = kept.jobs.values.filter { $0.job.state != .running }
                .sorted { $0.job.startedAt < $1.job.startedAt }
            for old in ended.prefix(max(0, kept.jobs.count - Self.maxKept)) {
                kept.jobs[old.job.id] = nil
            }
            return true
        }
        guard isTaken else { return nil }
        // Unstructured, because it outlives the request that started it; ``end()`` cancels it.
        let task = Task { [self, request, id = job.id] in
            await pipeline.during { await run(id, request, monitor, isDry: isDry) }
        }
        kept.withLock { [job] kept in
            if kept.isOver { task.cancel() }
            kept.jobs[job.id]?.task = task
        }
        return job
    }

    /// Returns a run as it is now.
    func job(_ id: String) -> Job? {
        kept.withLock { $0.jobs[id] }.map(Self.current)
    }

    /// All remembered runs, the newest first.
    var all: [Job] {
        kept.withLock { Array($0.jobs.values) }.map(Self.current)
            .sorted { ($0.startedAt, $0.id) > ($1.startedAt, $1.id) }
    }

    /// Returns the items of a run that failed; nil for an unknown run.
    func failed(_ id: String) -> [Item]? { kept.withLock { $0.jobs[id]?.failed } }

    /// Cancels a run and returns it when it has ended; nil for an unknown run.
    func cancel(_ id: String) async -> Job? {
        guard let known = kept.withLock({ $0.jobs[id] }) else { return nil }
        known.task?.cancel()
        await known.task?.value
        return job(id)
    }

    /// Waits for the end of a run.
    func wait(for id: String) async {
        await kept.withLock { $0.jobs[id]?.task }?.value
    }

    /// Whether the server is stopping.
    var isOver: Bool { kept.withLock(\.isOver) }

    /// Whether a run is under way.
    var isBusy: Bool { kept.withLock { $0.jobs.values.contains { $0.job.state == .running } } }

    /// Returns the states of a run from now on, the last one when it has ended; nil for an unknown
    /// run. The stream ends early when the server stops.
    func states(of id: String) -> AsyncStream<Job>? {
        guard let listeners = kept.withLock({ $0.jobs[id]?.listeners }) else { return nil }
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = listeners.add(change)
        return AsyncStream { continuation in
            let task = Task { [self] in
                if let job = job(id) { continuation.yield(job) }
                for await _ in changes {
                    guard let job = job(id) else { break }
                    if job.state != .running { break }
                    continuation.yield(job)
                    do { try await Task.sleep(for: Self.pause) } catch { break }
                }
                if let job = job(id), job.state != .running { continuation.yield(job) }
                listeners.remove(number)
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Ends the streams of states, so that their connections can close.
    func endListening() {
        let listeners = kept.withLock { kept in
            kept.isOver = true
            return kept.jobs.values.map(\.listeners)
        }
        for listeners in listeners { listeners.end() }
    }

    /// Cancels all runs and returns when they have ended. No run starts afterwards.
    func end() async {
        endListening()
        let tasks = kept.withLock { $0.jobs.values.compactMap(\.task) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func run(
        _ id: String, _ request: WarmRequest, _ monitor: WarmMonitor, isDry: Bool
    ) async {
        do {
            if isDry {
                let forecast = try await pipeline.warm.forecast(request)
                update(id) { kept in
                    kept.job.forecast = forecast
                    kept.job.total = forecast.items
                }
            } else {
                let summary = try await pipeline.warm.run(request, monitor) { [self] item in
                    note(item, of: id)
                }
                update(id) { kept in
                    kept.job.summary = summary
                    kept.job.total = summary.items
                }
            }
            finish(id, .done)
        } catch is CancellationError {
            finish(id, .canceled)
        } catch {
            finish(id, .failed, Self.sentence(error))
        }
    }

    private func note(_ item: WarmedItem, of id: String) {
        update(id) { kept in
            guard let reason = item.ending.reason else { return }
            if case .failed = item.ending, kept.failed.count < Self.maxFailed {
                kept.failed.append(item.item)
            }
            guard kept.job.problems.count < Self.maxProblems else {
                kept.job.furtherProblems += 1
                return
            }
            kept.job.problems.append(
                Job.Problem(
                    item: item.item.shown, status: item.ending.name, reason: reason))
        }
    }

    private func finish(_ id: String, _ state: State, _ reason: String? = nil) {
        let now = pipeline.now()
        update(id) { kept in
            let last = kept.monitor.snapshot
            // A run that didn't come to its end has what it did so far.
            if state != .done, kept.job.forecast == nil { kept.job.summary = last.summary }
            kept.job.state = state
            kept.job.isPartial = state != .done || kept.job.summary.isPartial
            kept.job.reason = reason
            kept.job.endedAt = now
        }
    }

    private func update(_ id: String, _ change: (inout Kept) -> Void) {
        let changed: Kept? = kept.withLock { kept in
            guard var job = kept.jobs[id] else { return nil }
            change(&job)
            kept.jobs[id] = job
            return job
        }
        changed?.listeners.send(())
        if changed?.job.state != .running { changed?.listeners.end() }
        StateChange.tell()
    }

    /// Fills in what the run did so far.
    private static func current(_ kept: Kept) -> Job {
        var job = kept.job
        guard job.state == .running else { return job }
        let now = kept.monitor.snapshot
        job.summary = now.summary
        job.total = now.total
        job.waiting = now.waiting
        job.stages = now.stages
        return job
    }

    /// Returns a reason for clients. Paths and library texts belong in the log.
    private static func sentence(_ error: any Error) -> String {
        (error as? Failure).map { ErrorResponse.problem($0).detail }
            ?? "The run could not be finished."
    }
}
