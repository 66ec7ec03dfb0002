import HTTP
package import Logging
package import Memory
package import Pipeline
import Store
import Synchronization
import Threads

/// The HTTP service. It accepts connections until it is stopped, then finishes running requests.
package final class Server: Sendable {
    private let pipeline: MediaPipeline
    private let stack: HTTPStack
    private let configuration: ServerConfiguration
    /// One for each thread.
    private let threads: [HitCounters]
    private let adminThreads: [HitCounters]
    private let responses: ByteBudget
    private let onRunning: @Sendable (_ port: Int, _ admin: Int?) async -> Void
    /// Why a thread failed first.
    private let failure = Mutex<ServingFailure?>(nil)
    private let stopAsked: AsyncStream<Void>
    private let askToStop: AsyncStream<Void>.Continuation

    /// - Parameter onRunning: called once connections are accepted, with the port of the pictures, 0 for a
    ///   Unix socket, and that of the operator's address; nil without.
    package init(
        _ pipeline: MediaPipeline, _ configuration: ServerConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int, _ admin: Int?) async -> Void
    ) {
        self.pipeline = pipeline
        self.configuration = configuration
        func counters(_ count: Int) -> [HitCounters] {
            (0..<count).map { _ in HitCounters(onChange: StateChange.tell) }
        }
        threads = counters(configuration.threadCount)
        adminThreads = counters(configuration.administration?.threads ?? 0)
        let threads = threads + adminThreads
        let responses = ByteBudget(
            bytes: configuration.responseBytes
                - configuration.responseBytes / ServerConfiguration.hitBodiesShare, isSplit: false)
        self.responses = responses
        let metrics = ServiceMetrics(configuration, pipeline, responses, threads)
        stack = HTTPStack(
            responders: CurrentResponder(
                Responder(pipeline, configuration, metrics, logger: logger)),
            offer: configuration.offer, pipeline: pipeline, metrics: metrics.requests,
            logger: logger, access: configuration.accessLog,
            bodies: BodyStream(budget: responses), held: HeldBodies(responses),
            tracer: configuration.tracer,
            scheme: ServiceAddress(configuration).scheme)
        self.onRunning = onRunning
        (stopAsked, askToStop) = AsyncStream.makeStream()
        pipeline.upkeep.countRequests {
            let counts = ConnectionCounters(threads)
            return ServedCounts(hits: counts.hits + counts.notModified)
        }
    }

    /// The counts of all connections.
    package var counts: ConnectionCounters { ConnectionCounters(threads + adminThreads) }

    /// Bytes of running responses.
    package var responseLoad: ByteBudget.Load { responses.load }

    /// Takes what a reload of the settings can replace from a fresh configuration. Called after
    /// ``MediaPipeline/reload(levels:urlSignature:sources:renderer:)``. Requests under way end with what they
    /// began with.
    package func reload(_ fresh: ServerConfiguration) {
        var configuration = configuration
        configuration.hosts = fresh.hosts
        configuration.publicURL = fresh.publicURL
        configuration.adminToken = fresh.adminToken
        configuration.userData = fresh.userData
        configuration.placeholderStatus = fresh.placeholderStatus
        stack.responders.replace { $0.successor(configuration) }
    }

    /// Accepts no further connections, and finishes running requests. ``run()`` then returns.
    package func stop() { askToStop.finish() }

    /// Serves until ``stop()``. If the task is canceled, all connections are closed at once. Called once.
    package func run() async throws {
        let listener = Listener(pipeline, stack, configuration)
        let admin = configuration.administration.map { Listener(pipeline, stack, $0) }
        let end = { [self] in
            await stack.responders.value.end()
            await listener.stop()
            await admin?.stop()
        }
        try await withEnd(end) { try await serve(listener, admin) }
    }

    private func serve(_ listener: Listener, _ admin: Listener?) async throws {
        let onFailure: @Sendable (ServingFailure) -> Void = { [self] failure in
            self.failure.withLock { $0 = $0 ?? failure }
            stop()
        }
        // First, so that it says how the start goes.
        let adminPort = try await admin?.bind(adminThreads, onFailure: onFailure)
        let port = try await listener.bind(threads, onFailure: onFailure)
        await withTaskCancellationHandler {
            stack.responders.value.begin()
            await onRunning(port, adminPort)
            for await _ in stopAsked {}
            stack.responders.value.endEvents()
            // The operator sees how it goes until the last picture is sent.
            await listener.stop()
            await admin?.stop()
        } onCancel: {
            // The time is over. Remaining connections are closed.
            stop()
            listener.abort()
            admin?.abort()
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

extension Server {
    /// The version of the nghttp2 that is loaded, such as 1.52.0.
    package static var http2LibraryVersion: String { ServerThread.http2LibraryVersion }
}
