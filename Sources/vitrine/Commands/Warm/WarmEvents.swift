import Catalog
import Console
import FoundationEssentials
import Glibc
import Pipeline
import Synchronization

/// Prints what happens in a run as JSON lines: `progress` each second, and `item` for each item that
/// did not get its first choice. Thread-safe.
final class WarmEvents: Sendable {
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

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
        print(
            Progress(
                items: summary.items, total: snapshot.total, waiting: snapshot.waiting,
                originals: summary.originals, bytesFetched: summary.bytesFetched,
                thumbnails: summary.thumbnails, reused: summary.reused,
                placeholders: summary.placeholders, fallbacks: summary.fallbacks,
                failed: summary.failed, requests: summary.requests, seconds: summary.seconds,
                stages: Dictionary(
                    uniqueKeysWithValues: snapshot.stages.map { ($0.name.rawValue, $0.inside) })))
    }

    func ended(_ warmed: WarmedItem) {
        guard let reason = warmed.ending.reason else { return }
        print(
            Ended(
                item: WarmProblems.named(warmed.item), status: warmed.ending.name, reason: reason))
    }

    private func print(_ event: some Encodable) {
        // Encoding can't fail, because all members are texts and finite numbers.
        guard let data = try? Self.encoder.encode(event) else { return }
        write(String(decoding: data, as: UTF8.self))
    }
}
