package import Logging
import Synchronization
package import WorkQueue

/// Reports a node every two seconds while it is up.
package final class NodeBeat: Sendable {
    private let hub: Hub
    private let report: @Sendable () -> NodeReport
    private let logger: Logger
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let reached = Mutex(false)

    /// Whether the queue took the last report.
    package var isReached: Bool { reached.withLock { $0 } }

    package init(
        _ hub: Hub, logger: Logger, report: @escaping @Sendable () -> NodeReport
    ) {
        self.hub = hub
        self.report = report
        self.logger = logger
    }

    /// Reports at once.
    package func beat() async {
        do throws(QueueError) {
            try await report().store(hub)
            reached.withLock { $0 = true }
        } catch {
            reached.withLock { $0 = false }
            logger.debug("this node can't be reported", metadata: ["reason": "\(error)"])
        }
    }

    package func start() {
        task.withLock { task in
            guard task == nil else { return }
            // Unstructured, because it lives as long as the process.
            task = Task { [weak self] in
                while let self, !Task.isCancelled {
                    await beat()
                    do { try await Task.sleep(for: NodeReport.interval) } catch { return }
                }
            }
        }
    }

    /// Reports that the node is gone.
    package func stop() async {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        await running?.value
        do throws(QueueError) {
            try await report().remove(hub)
        } catch {
            // Its report vanishes by itself.
            logger.debug("this node can't be reported", metadata: ["reason": "\(error)"])
        }
    }
}
