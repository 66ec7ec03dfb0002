package import Logging
package import Memory
import NIOCore
package import Pipeline
import ServiceLifecycle
import Store
import Synchronization

/// The HTTP service. It accepts connections until it is stopped, then finishes running requests.
package struct Server: Service {
    private let pipeline: MediaPipeline
    private let stack: HTTPStack
    private let configuration: ServerConfiguration
    private let counters: Counters
    private let responses: ByteBudget
    private let onRunning: @Sendable (_ port: Int) async -> Void

    /// - Parameter onRunning: called with the port once connections are accepted.
    package init(
        _ pipeline: MediaPipeline, _ configuration: ServerConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        self.pipeline = pipeline
        self.configuration = configuration
        let threads = configuration.threads > 0 ? configuration.threads : System.coreCount
        let counters = Counters(threads: threads)
        self.counters = counters
        let responses = ByteBudget(
            bytes: configuration.responseBytes
                - configuration.responseBytes / ServerConfiguration.hitBodiesShare, isSplit: false)
        self.responses = responses
        let metrics = ServiceMetrics(
            configuration.metrics, configuration.version, pipeline, responses
        ) { counters.sum }
        stack = HTTPStack(
            Responder(pipeline, configuration, metrics, logger: logger), pipeline, metrics.requests,
            logger,
            configuration.accessLog, BodyStream(budget: responses))
        self.onRunning = onRunning
        pipeline.upkeep.countRequests {
            let counts = counters.sum
            return ServedCounts(hits: counts.hits + counts.notModified)
        }
    }

    /// The counts of all connections.
    package var counts: ConnectionCounters { counters.sum }

    /// Bytes of running responses.
    package var responseLoad: ByteBudget.Load { responses.load }

    /// Counts of the event loops and of the threads.
    private struct Counters: Sendable {
        let loops: [LoopCounters]
        let threads: [LoopCounters]

        init(threads count: Int) {
            loops = (0..<count).map { _ in LoopCounters() }
            threads = (0..<count).map { _ in LoopCounters() }
        }

        var sum: ConnectionCounters {
            (loops + threads).map(\.snapshot).reduce(ConnectionCounters(), +)
        }
    }

    package func run() async throws {
        let listener = try await Listener(pipeline, stack, configuration, counters.loops)
        let outcome: Result<Void, any Error>
        do {
            try await serve(listener)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await stack.responder.end()
        try await listener.stop()
        try outcome.get()
    }

    private func serve(_ listener: Listener) async throws {
        let (stopped, stop) = AsyncStream<Void>.makeStream()
        let failure = FirstFailure()
        let port = try await listener.bind(counters.threads) {
            failure.keep($0)
            stop.finish()
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                stack.responder.begin()
                await onRunning(port)
                for await _ in stopped {}
                stack.responder.endEvents()
            } onGracefulShutdown: {
                stop.finish()
            }
            await listener.drain()
        } onCancel: {
            // The time is over. Remaining connections are closed.
            stop.finish()
            listener.abort()
        }
        if let error = failure.first { throw error }
    }

    private final class FirstFailure: Sendable {
        private let kept = Mutex<ServingFailure?>(nil)

        var first: ServingFailure? { kept.withLock { $0 } }

        func keep(_ failure: ServingFailure) { kept.withLock { $0 = $0 ?? failure } }
    }
}
