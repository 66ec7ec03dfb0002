import Catalog
import Console
import FoundationEssentials
import Glibc
import Pipeline
import Synchronization

/// Prints what happens in a run as JSON lines: `progress` each second, and `item` for each item that
/// did not get its first choice. Thread-safe.
final class WarmEvents: Sendable {
    private struct Progress: Encodable {
        let event = "progress"
        var items: Int
        var total: Int?
        var waiting: Int
        var originals: Int
        var bytesFetched: Int
        var thumbnails: Int
        var reused: Int
        var placeholders: Int
        var fallbacks: Int
        var failed: Int
        var requests: Int
        var seconds: Double
        /// Items in each stage.
        var stages: [String: Int]
    }

    private struct Ended: Encodable {
        let event = "item"
        var item: String
        var status: String
        var reason: String
    }

    /// The last line: the summary's members, and what the process used.
    struct Summary: Encodable {
        var summary: WarmSummary
        var usage: WarmUsage?
        var error: (any Error)?

        private enum Key: String, CodingKey {
            case event, processorSeconds, cores, error
        }

        func encode(to encoder: any Encoder) throws {
            try summary.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("summary", forKey: .event)
            try container.encodeIfPresent(usage?.processorSeconds, forKey: .processorSeconds)
            try container.encodeIfPresent(usage?.cores, forKey: .cores)
            try container.encodeIfPresent(
                error.map { CommandError($0).description }, forKey: .error)
        }
    }

    private let lastShown = Mutex<Double>(0)
    private let write: @Sendable (String) -> Void

    /// - Parameter write: prints a line.
    init(
        _ write: @escaping @Sendable (String) -> Void = {
            Terminal.write($0 + "\n", to: STDOUT_FILENO)
        }
    ) {
        self.write = write
    }

    func progress(_ snapshot: WarmProgress) {
        let summary = snapshot.summary
        let isDue = lastShown.withLock { last in
            guard summary.seconds - last >= 1 else { return false }
            last = summary.seconds
            return true
        }
        guard isDue else { return }
        let progress = Progress(
            items: summary.items, total: snapshot.total, waiting: snapshot.waiting,
            originals: summary.originals, bytesFetched: summary.bytesFetched,
            thumbnails: summary.thumbnails, reused: summary.reused,
            placeholders: summary.placeholders, fallbacks: summary.fallbacks,
            failed: summary.failed, requests: summary.requests, seconds: summary.seconds,
            stages: Dictionary(
                uniqueKeysWithValues: snapshot.stages.map { ($0.name.rawValue, $0.inside) }))
        write(jsonLine(progress))
    }

    func ended(_ warmed: WarmedItem) {
        guard let reason = warmed.ending.reason else { return }
        let ended = Ended(
            item: WarmProblems.named(warmed.item), status: warmed.ending.name, reason: reason)
        write(jsonLine(ended))
    }
}

/// What this process and those that render for it used, beside what the machine has.
struct WarmUsage: Sendable, Equatable {
    var processorSeconds: Double
    var cores: Int

    /// - Parameter children: seconds of the processes that render. The kernel tells only those of processes
    ///   that this one has started itself and that have ended.
    static func now(cores: Int, children: Double) -> WarmUsage {
        var own = rusage()
        getrusage(RUSAGE_SELF.rawValue, &own)
        return WarmUsage(
            processorSeconds: own.processorSeconds + children, cores: max(1, cores))
    }

    /// Seconds that all cores together need for that.
    var seconds: Double { processorSeconds / Double(cores) }
}
