import Catalog
import Logging
import Memory
import Pipeline
import Synchronization
import Threads

/// What a service does by itself while it runs: makes pinned pictures again after an upgrade, and keeps the
/// lists of `warm.jobs` warm, one at a time.
final class Background: Sendable {
    private let pipeline: MediaPipeline
    private let jobs: WarmJobs
    private let logger: Logger
    private let task = BackgroundTask()
    private let schedule: Mutex<WarmSchedule>
    private let random: @Sendable () -> Double
    private let clock = ContinuousClock()

    /// - Parameter random: returns a number in 0 ..< 1.
    init(
        _ pipeline: MediaPipeline, _ jobs: WarmJobs, _ logger: Logger,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.random = random
        self.pipeline = pipeline
        self.jobs = jobs
        self.logger = logger
        schedule = Mutex(
            WarmSchedule(pipeline.configuration.warm.jobs, at: .now, random: random))
    }

    func start() {
        task.start { [self] in
            async let pinned: Void = makePinned()
            if !pipeline.configuration.warm.jobs.isEmpty { await keepWarm() }
            await pinned
        }
    }

    func end() async { await task.stop() }

    /// Makes the thumbnails of pins and favorites that an earlier layout had.
    private func makePinned() async {
        do throws(Failure) {
            let items = try await pipeline.pins.leftBehind()
            if items.isEmpty { return }
            let renditions = pipeline.configuration.warm.renditions(
                of: pipeline.configuration.levels)
            var request = WarmRequest(
                .items(items), renditions: renditions, concurrency: WarmJobs.concurrency)
            (request.name, request.title) = ("pinned items", "Pinned items")
            request.onlyMissing = true
            await finish(request)
        } catch {
            logger.warning(
                "pinned pictures can't be made again", metadata: ["reason": "\(error.reason)"])
        }
    }

    private func keepWarm() async {
        while let next = schedule.withLock({ $0.next }) {
            do { try await clock.sleep(until: next.at) } catch { return }
            await run(next.job)
            if Task.isCancelled { return }
            schedule.withLock {
                $0.ended(next.job, at: .now, random: random)
            }
        }
    }

    /// Runs one job to its end.
    private func run(_ number: Int) async {
        let job = pipeline.configuration.warm.jobs[number]
        do throws(Failure) {
            let plan = try WarmPlan(
                source: job.source, list: job.list, words: job.words, parameters: job.parameters,
                pages: job.pages, limit: job.limit, of: pipeline)
            let renditions = pipeline.configuration.warm.renditions(
                of: pipeline.configuration.levels, in: job.formats)
            var request = plan.request(renditions: renditions, concurrency: WarmJobs.concurrency)
            request.isPinned = job.isPinned
            await finish(request)
        } catch {
            logger.warning("warm.jobs can't be run", metadata: ["reason": "\(error.reason)"])
        }
    }

    /// Begins a run and waits for its end.
    private func finish(_ request: WarmRequest) async {
        guard let run = jobs.start(request, isScheduled: true) else {
            return logger.notice(
                "a scheduled warm run is skipped", metadata: ["run": "\(request.name)"])
        }
        await withTaskCancellationHandler {
            await jobs.wait(for: run.id)
        } onCancel: {
            Task { [jobs] in _ = await jobs.cancel(run.id) }
        }
        let ended = jobs.job(run.id)
        let summary = ended?.summary
        // Without all pictures it is not a success, also where nothing failed.
        logger.log(
            level: ended?.isPartial == true ? .warning : .info, "a scheduled warm run ended",
            metadata: [
                "run": "\(request.name)", "state": "\(ended?.state.rawValue ?? "")",
                "items": .stringConvertible(summary?.items ?? 0),
                "originals": .stringConvertible(summary?.originals ?? 0),
                "failed": .stringConvertible(summary?.failed ?? 0),
                "evicted": .stringConvertible(summary?.evicted ?? 0),
                "left": .stringConvertible(summary?.left ?? 0), "reason": "\(ended?.reason ?? "-")",
            ])
    }
}
