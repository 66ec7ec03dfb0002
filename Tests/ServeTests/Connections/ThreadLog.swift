import Imaging
import Logging
import Pipeline
import PipelineSupport
import Serve
import Synchronization
import TestSupport

/// Keeps what is true of each thread that logs a request, at that moment.
struct ThreadLog<Fact: Sendable>: LogHandler {
    private final class Found: Sendable {
        let facts = Mutex<[Fact]>([])
    }

    private let found = Found()
    private let look: @Sendable () -> Fact
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(_ look: @escaping @Sendable () -> Fact) { self.look = look }

    var facts: [Fact] { found.facts.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.message == "request" else { return }
        let fact = look()
        found.facts.withLock { $0.append(fact) }
    }
}

extension ThreadLog {
    /// A server that has show 1 in memory and logs every request here.
    func serving(
        _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            harness.serveShow(1, medium: nil)
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1000), maxAge: 100))
            _ = try await harness.picture(1, "m", .webp)
            try await RunningServer.with(
                harness.pipeline,
                {
                    $0.accessLog = .all
                    adjust(&$0)
                }, logger: Logger(label: "test") { _ in self }, body)
        }
    }
}
