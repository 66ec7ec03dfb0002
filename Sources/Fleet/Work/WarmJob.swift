import Catalog
import FoundationEssentials
import Hashing
import Pipeline
import WorkQueue

/// Items to warm, as they are in the queue.
struct WarmJob: Sendable, Equatable, Codable {
    /// Items of one message. Fewer messages cost the servers less; more items are done twice when a
    /// worker dies.
    static let maxItems = 16
    /// Bytes of the descriptions in one message, unless a single item has more. A page's descriptions
    /// have about 1 kB an item. NATS servers accept messages up to 1 MiB.
    static let maxDescriptionBytes = 96 << 10

    /// `source/kind/id`.
    var items: [String]
    /// The run that they belong to.
    var run: String
    /// What the list said of the items, so that the worker doesn't ask their catalog.
    var known: [ItemDescription] = []

    init(items: [String], run: String, known: [ItemDescription] = []) {
        self.items = items
        self.run = run
        self.known = known
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        items = try values.decode([String].self, forKey: .items)
        run = try values.decode(String.self, forKey: .run)
        // A version that describes items in another way may have queued them. Then the worker asks
        // the catalog.
        known = (try? values.decodeIfPresent([ItemDescription].self, forKey: .known)) ?? []
    }

    /// Divides items into jobs whose descriptions fit into a message. An item with a description that
    /// fits into none goes without it.
    static func jobs(
        _ items: [Item], _ known: [ItemDescription], run: String
    ) throws(QueueError) -> [WarmJob] {
        var sized: [Item: (description: ItemDescription, bytes: Int)] = [:]
        for description in known {
            let bytes = try description.json("the description of an item").count
            if bytes <= maxDescriptionBytes { sized[description.item] = (description, bytes) }
        }
        var jobs: [WarmJob] = []
        var job = WarmJob(items: [], run: run)
        var carried: Set<Item> = []
        var size = 0
        for item in items {
            let own = [item, sized[item]?.description.link].compactMap(\.self)
            func added() -> Int {
                own.filter { !carried.contains($0) }.reduce(0) { $0 + (sized[$1]?.bytes ?? 0) }
            }
            let isFull = job.items.count == maxItems || size + added() > maxDescriptionBytes
            if isFull, !job.items.isEmpty {
                jobs.append(job)
                (job, carried, size) = (WarmJob(items: [], run: run), [], 0)
            }
            size += added()
            job.items.append(item.description)
            for next in own where carried.insert(next).inserted {
                if let known = sized[next] { job.known.append(known.description) }
            }
        }
        return job.items.isEmpty ? jobs : jobs + [job]
    }

    func body() throws(QueueError) -> [UInt8] { try json("a job") }

    /// Returns the job for the queue. Jobs of equal items, recipe and generation have the same id.
    func queued(
        recipe: String, origin: String, lane: QueueJob.Lane, generation: String
    ) throws(QueueError) -> QueueJob {
        let text = ([recipe, generation] + items).joined(separator: "\n")
        return QueueJob(
            id: Self.hex(text), lane: lane, route: recipe, origin: origin, body: try body())
    }

    /// Returns 32 hexadecimal digits that a text decides.
    static func hex(_ text: String) -> String {
        Hex.text(SHA256.digest(of: Array(text.utf8)).prefix(16))
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
