import Pipeline
import Store
import WorkQueue

/// A purge, as all nodes read it.
struct PurgeEvent: Sendable, Equatable, Codable {
    /// `all`, a source's name, or `source/kind/id`, as on the command line.
    var scope: String
    var soft: Bool
    /// The node that has done it already.
    var node: String
    /// New blocks and ended ones; nil for a purge. Nodes of an earlier version only purge the scope.
    var blocks: [BlockRecord]?

    init(_ scope: PurgeScope, soft: Bool, node: String) {
        self.scope =
            switch scope {
            case .all: "all"
            case .source(let name): name
            case .item(let item): "\(item)"
            }
        self.soft = soft
        self.node = node
    }

    /// - Parameter blocks: at least one.
    init(_ blocks: [BlockRecord], node: String) {
        scope = blocks.first?.target ?? ""
        soft = false
        self.node = node
        self.blocks = blocks
    }
}

/// The last purge that a cache has followed: the log's identity, and the event's number.
struct FollowedPurges: Sendable, Equatable {
    var identity: String
    var number: UInt64

    init(identity: String, number: UInt64) {
        self.identity = identity
        self.number = number
    }

    init?(_ line: String) {
        let parts = line.split(separator: " ")
        guard parts.count == 2, let number = UInt64(parts[1]) else { return nil }
        self.init(identity: String(parts[0]), number: number)
    }

    var line: String { "\(identity) \(number)" }

    /// What a cache does next.
    enum Step: Equatable {
        /// Reads the events after this number.
        case read(after: UInt64)
        /// Drops everything, because it may have missed a purge, and follows from this number.
        case drop(number: UInt64)
    }

    /// - Parameters:
    ///   - followed: nil for a cache that never followed a purge.
    ///   - isEmpty: whether the cache holds nothing.
    static func step(_ followed: Self?, _ log: EventExtent, isEmpty: Bool) -> Step {
        if isEmpty, followed?.identity != log.identity { return .read(after: log.last) }
        let number = followed.flatMap { $0.identity == log.identity ? $0.number : nil }
        // A log that was made again, or one that this cache never read, may have had other purges.
        guard let number else {
            return followed == nil && log.first <= 1 ? .read(after: 0) : .drop(number: log.last)
        }
        if number > log.last { return .drop(number: log.last) }
        return number + 1 >= log.first ? .read(after: number) : .drop(number: log.last)
    }
}
