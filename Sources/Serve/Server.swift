package import Logging
import NIOCore
package import Pipeline
import ServiceLifecycle

/// The HTTP service: accepts connections until it is told to stop, then finishes what is running.
package struct Server: Service {
    private let pipeline: MediaPipeline
    private let slowPath: SlowPath
    private let configuration: ServerConfiguration
    private let counters: [LoopCounters]
    private let onRunning: @Sendable (_ port: Int) async -> Void

    /// `onRunning` is told the port once connections are accepted.
    package init(
        _ pipeline: MediaPipeline, _ configuration: ServerConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        self.pipeline = pipeline
        self.configuration = configuration
        let threads = configuration.threads > 0 ? configuration.threads : System.coreCount
        let counters = (0..<threads).map { _ in LoopCounters() }
        self.counters = counters
        let metrics = ServiceMetrics(configuration.metrics, configuration.version, pipeline) {
            Self.sum(counters)
        }
        slowPath = SlowPath(
            Responder(pipeline, configuration, metrics), pipeline, metrics.requests, logger)
        self.onRunning = onRunning
    }

    /// What the fast path did so far.
    package var fastPath: FastPathCounters { Self.sum(counters) }

    private static func sum(_ counters: [LoopCounters]) -> FastPathCounters {
        counters.map(\.snapshot).reduce(FastPathCounters(), +)
    }

    package func run() async throws {
        let listener = try await Listener(pipeline, slowPath, configuration, counters)
        let outcome: Result<Void, any Error>
        do {
            try await serve(listener)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await slowPath.responder.end()
        try await listener.stop()
        try outcome.get()
    }

    private func serve(_ listener: Listener) async throws {
        let channel = try await listener.bind()
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                await onRunning(channel.localAddress?.port ?? 0)
                try await channel.closeFuture.get()
            } onGracefulShutdown: {
                channel.close(promise: nil)
            }
            await listener.drain()
        } onCancel: {
            // No time left: whoever still waits is cut off.
            channel.close(promise: nil)
            listener.abort()
        }
    }
}
