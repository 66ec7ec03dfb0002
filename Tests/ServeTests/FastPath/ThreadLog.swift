import Logging
import Synchronization

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
