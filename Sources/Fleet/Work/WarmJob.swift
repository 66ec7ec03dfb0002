import Catalog
import FoundationEssentials
import Hashing
import WorkQueue

/// Items to warm, as they are in the queue.
struct WarmJob: Sendable, Equatable, Codable {
    /// Items of one message. Fewer messages cost the servers less; more items are done twice when a
    /// worker dies.
    static let maxItems = 16

    /// `source/kind/id`.
    var items: [String]
    /// The run that they belong to.
    var run: String

    /// Returns nil if the bytes are not a job.
    init?(_ bytes: [UInt8]) {
        guard let job = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = job
    }

    init(items: [String], run: String) {
        self.items = items
        self.run = run
    }

    var body: [UInt8] {
        // Encoding can't fail, because all members are texts.
        (try? JSONEncoder().encode(self)).map { Array($0) } ?? []
    }

    /// Returns the job for the queue. Equal items of one recipe and generation have the same id.
    func queued(
        recipe: String, origin: String, lane: QueueJob.Lane, generation: String
    ) -> QueueJob {
        let text = ([recipe, generation] + items).joined(separator: "\n")
        return QueueJob(
            id: Self.hex(text), lane: lane, route: recipe, origin: origin, body: body)
    }

    /// Returns 32 hexadecimal digits that a text decides.
    static func hex(_ text: String) -> String {
        SHA256.digest(of: Array(text.utf8)).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0\(digits)" : digits
        }.joined()
    }

    /// URLs of any hosts are spread over so many origins.
    private static let hostParts = 16

    /// Names the origin of an item for the queue: the source, and for a URL a part of all hosts.
    static func origin(of item: Item) -> String {
        guard let url = SignedURL.url(of: item) else { return item.source }
        let host = URL(string: url)?.host()?.lowercased() ?? ""
        return "\(item.source)-\(Int(hex(host).prefix(4), radix: 16).map { $0 % hostParts } ?? 0)"
    }
}
