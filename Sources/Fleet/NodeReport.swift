package import FoundationEssentials
import Hashing
package import WorkQueue

/// What a node says of itself, every two seconds while it is up.
package struct NodeReport: Sendable, Equatable, Codable {
    package enum Role: String, Sendable, Codable {
        case serve, worker
        /// A command that queues, or purges.
        case command
    }

    /// Unique among all nodes, and another one after each start.
    package var name: String
    package var role: Role
    package var host: String
    package var version: String
    /// Names everything that decides the bytes of thumbnails besides the originals.
    package var recipe: String
    package var startedAt: Date
    package var at: Date
    /// The last purge that it has followed; nil for a node that stores nothing.
    package var purge: UInt64?
    /// Whether it follows blocks; nil for a node of an earlier version, which still shows what is blocked.
    package var knowsBlocks: Bool?
    /// Items that it may have under way, and has. 0 unless it is a worker.
    package var places = 0
    package var busy = 0
    /// Items since its start.
    package var done = 0
    package var failed = 0
    /// Whether it finishes its work and then ends.
    package var isDraining = false

    package init(
        name: String, role: Role, host: String, version: String, recipe: String, at now: Date
    ) {
        self.name = name
        self.role = role
        self.host = host
        self.version = version
        self.recipe = recipe
        startedAt = now
        at = now
    }

    /// Whether a node can have said it.
    private var isPossible: Bool {
        let texts = [name, host, version, recipe]
        return [places, busy, done, failed].allSatisfy((0...1 << 40).contains)
            && texts.allSatisfy { $0.utf8.count <= 1_024 }
    }

    private static let prefix = "node."

    /// The time between two reports. Several are lost before a node counts as down.
    static let interval = Duration.seconds(2)

    /// Returns a name that no other node has: `HOST-serve-1a2b3c4d`.
    package static func name(_ role: String, on host: String) -> String {
        let number = Hex.text((0..<4).map { _ in UInt8.random(in: .min ... .max) })
        return "\(QueueJob.token(host))-\(role)-\(number)"
    }

    package func store(_ hub: Hub) async throws(QueueError) {
        try await hub.live.set(
            Self.prefix + name, try json("the report of a node", dates: .iso8601))
    }

    package func remove(_ hub: Hub) async throws(QueueError) {
        try await hub.live.remove(Self.prefix + name)
    }

    /// Returns all nodes that are up, by name.
    package static func all(_ hub: Hub) async throws(QueueError) -> [NodeReport] {
        try await hub.live.all(prefix).values.compactMap { value in
            // Nodes of a version that reports in another way are not listed.
            NodeReport(json: value.bytes, dates: .iso8601).flatMap { $0.isPossible ? $0 : nil }
        }.sorted { ($0.role.rawValue, $0.name) < ($1.role.rawValue, $1.name) }
    }
}

// JSON that nodes write for each other.

extension Encodable {
    /// - Parameter what: names the document in the error.
    func json(
        _ what: String, dates: JSONEncoder.DateEncodingStrategy = .deferredToDate
    ) throws(QueueError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dates
        do {
            return Array(try encoder.encode(self))
        } catch {
            throw .failed(operation: "write \(what)", reason: "\(error)")
        }
    }
}

extension Decodable {
    /// Returns nil for bytes that this version can't read. The caller says what that means: another
    /// version of the program may have written them.
    init?(json bytes: [UInt8], dates: JSONDecoder.DateDecodingStrategy = .deferredToDate) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dates
        guard let value = try? decoder.decode(Self.self, from: Data(bytes)) else { return nil }
        self = value
    }
}
