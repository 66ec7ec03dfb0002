import HTTP
package import Logging
package import Memory
package import Pipeline
import Store
import Synchronization

/// The HTTP service. It accepts connections until it is stopped, then finishes running requests.
package struct Server: Sendable {
    private let pipeline: MediaPipeline
    private let stack: HTTPStack
    private let configuration: ServerConfiguration
    /// One for each thread.
    private let threads: [HitCounters]
    private let responses: ByteBudget
    private let onRunning: @Sendable (_ port: Int) async -> Void
    private let stopAsked: AsyncStream<Void>
    private let askToStop: AsyncStream<Void>.Continuation

    /// - Parameter onRunning: called with the port once connections are accepted.
    package init(
        _ pipeline: MediaPipeline, _ configuration: ServerConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        self.pipeline = pipeline
        self.configuration = configuration
        let count = configuration.threads > 0 ? configuration.threads : MachineProcessors.count()
        let threads = (0..<count).map { _ in HitCounters(onChange: StateChange.tell) }
        self.threads = threads
        let responses = ByteBudget(
            bytes: configuration.responseBytes
                - configuration.responseBytes / ServerConfiguration.hitBodiesShare, isSplit: false)
        self.responses = responses
        let metrics = ServiceMetrics(configuration, pipeline, responses, threads)
        stack = HTTPStack(
            Responder(pipeline, configuration, metrics, logger: logger), pipeline, metrics.requests,
            logger,
            configuration.accessLog, BodyStream(budget: responses))
        self.onRunning = onRunning
        (stopAsked, askToStop) = AsyncStream.makeStream()
        pipeline.upkeep.countRequests {
            let counts = ConnectionCounters(threads)
            return ServedCounts(hits: counts.hits + counts.notModified)
        }
    }

    /// The counts of all connections.
    package var counts: ConnectionCounters { ConnectionCounters(threads) }

    /// Bytes of running responses.
    package var responseLoad: ByteBudget.Load { responses.load }

    /// Accepts no further connections, and finishes running requests. ``run()`` then returns.
    package func stop() { askToStop.finish() }

    /// Serves until ``stop()``. If the task is canceled, all connections are closed at once. Called once.
    package func run() async throws {
        let listener = Listener(pipeline, stack, configuration)
        let outcome: Result<Void, any Error>
        do {
            try await serve(listener)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await stack.responder.end()
        await listener.stop()
        try outcome.get()
    }

    private func serve(_ listener: Listener) async throws {
        let failure = FirstFailure()
        let port = try await listener.bind(threads) {
            failure.keep($0)
            stop()
        }
        await withTaskCancellationHandler {
            stack.responder.begin()
            await onRunning(port)
            for await _ in stopAsked {}
            stack.responder.endEvents()
            await listener.stop()
        } onCancel: {
            // The time is over. Remaining connections are closed.
            stop()
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

extension Server {
    /// The version of the nghttp2 that is loaded, such as 1.52.0.
    package static var http2LibraryVersion: String { HTTP2Library.version }
}
