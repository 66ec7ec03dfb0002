import FoundationEssentials
package import Logging
package import Metrics
package import Pipeline
package import Store
import Synchronization
import Threads
package import WorkQueue

/// This process as a node of a fleet: its share of rates, the purges that it follows, and its
/// reports.
package final class FleetNode: Sendable {
    private struct Parts {
        var worker: Worker?
        var places = 0
        var recipe = ""
        /// Whether the queue took the last report.
        var isReported = false
        var metrics = FleetMetrics()
    }

    /// The time between two looks at the queue for metrics.
    private static let watchInterval = Duration.seconds(10)

    package let hub: Hub
    /// Unique among all nodes, and another one after each start.
    package let name: String
    package let rates: FleetRates
    package let purges: PurgeFollower
    private let role: NodeReport.Role
    private let host: String
    private let version: String
    private let logger: Logger
    private let startedAt = Date()
    private let parts = Mutex(Parts())
    /// Is started when the node has joined its fleet.
    private let work = BackgroundTask()

    package init(
        _ hub: Hub, role: NodeReport.Role, host: String, version: String,
        position: PurgePosition, metrics: MetricRegistry, logger: Logger
    ) {
        self.hub = hub
        self.role = role
        self.host = host
        self.version = version
        self.logger = logger
        name = NodeReport.name(role.rawValue, on: host)
        // Clients of a service wait; jobs can.
        rates = FleetRates(hub, name: name, trickles: role == .serve, logger: logger)
        purges = PurgeFollower(hub, node: name, position: position, logger: logger)
        metrics.show { [weak self] in self?.write(to: &$0) }
    }

    /// Follows all purges until now, and joins the fleet. Tries for as long as the queue can't be
    /// reached, so that nothing is served that was purged meanwhile.
    ///
    /// - Throws: ``Failure`` if the store can't be changed; `CancellationError`.
    package func join(_ pipeline: MediaPipeline, recipe: String) async throws {
        try await follow(pipeline)
        parts.withLock { $0.recipe = recipe }
        await beat()
        work.start { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [self] in await rates.run() }
                group.addTask { [self] in await purges.run { [self] in await beat() } }
                group.addTask { [self] in
                    await Self.forEver(every: NodeReport.interval) { [self] in await beat() }
                }
                group.addTask { [self] in
                    await Self.forEver(every: Self.watchInterval) { [self] in await look() }
                }
            }
        }
    }

    /// Repeats a call until the task is canceled.
    private static func forEver(every pause: Duration, _ call: () async -> Void) async {
        while !Task.isCancelled {
            await call()
            do { try await Task.sleep(for: pause) } catch { return }
        }
    }

    /// Reports this node.
    private func beat() async {
        do throws(QueueError) {
            try await report.store(hub)
            parts.withLock { $0.isReported = true }
        } catch {
            parts.withLock { $0.isReported = false }
            logger.debug("this node can't be reported", metadata: ["reason": "\(error)"])
        }
    }

    private func look() async {
        do throws(QueueError) {
            let (backlog, nodes) = (try await hub.queue.backlog(), try await NodeReport.all(hub))
            parts.withLock {
                $0.metrics = FleetMetrics(isReached: true, backlog: backlog, nodes: nodes)
            }
        } catch {
            parts.withLock { $0.metrics.isReached = false }
        }
    }

    private func write(to text: inout MetricText) {
        let parts = parts.withLock { $0 }
        var metrics = parts.metrics
        if work.isStarted { metrics.purges = (purges.number, purges.lag, purges.skipped) }
        metrics.worker = parts.worker.map { ($0.load.busy, parts.places) }
        metrics.write(to: &text)
    }

    /// Follows all purges until now.
    ///
    /// - Throws: as ``join(_:recipe:)``.
    package func follow(_ pipeline: MediaPipeline) async throws {
        purges.attach(pipeline)
        var isReached = true
        while true {
            do {
                return try await purges.catchUp()
            } catch let error as QueueError where error.isTransient {
                if isReached {
                    logger.warning(
                        "waiting for the queue, to follow purges before anything is served",
                        metadata: ["reason": "\(error)"])
                }
                isReached = false
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Why this node can't do its work now, as a sentence; nil if it can.
    package var unreadiness: String? {
        let parts = parts.withLock { $0 }
        if !work.isStarted { return "This node has not joined its fleet yet." }
        if !parts.isReported { return "The queue can't be reached." }
        if parts.worker?.load.isDraining == true { return "The worker takes no further jobs." }
        return nil
    }

    /// Reports what a worker does, too.
    package func attach(_ worker: Worker, places: Int) {
        parts.withLock { parts in
            parts.worker = worker
            parts.places = places
        }
    }

    private var report: NodeReport {
        let parts = parts.withLock { $0 }
        var report = NodeReport(
            name: name, role: role, host: host, version: version, recipe: parts.recipe,
            at: startedAt)
        report.at = Date()
        report.purge = purges.number
        report.knowsBlocks = true
        if let load = parts.worker?.load {
            report.places = parts.places
            report.busy = load.busy
            report.done = load.done
            report.failed = load.failed
            report.isDraining = load.isDraining
        }
        return report
    }

    /// Leaves the fleet.
    package func leave() async {
        if await work.stop() {
            do throws(QueueError) {
                try await report.remove(hub)
            } catch {
                // Its report vanishes by itself.
                logger.debug("this node can't be reported", metadata: ["reason": "\(error)"])
            }
        }
        await hub.close()
    }
}
