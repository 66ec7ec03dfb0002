import FoundationEssentials

/// How a ``DocumentCache`` stores its documents.
struct DocumentForm<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The key on disk.
    var diskKey: @Sendable (Key) -> String
    /// Seconds.
    var timeToLive: @Sendable (Key) -> TimeInterval
    /// Seconds for which a failed call is remembered.
    var failureLifetime: TimeInterval = 0
    /// Bytes of a document in memory, without its key.
    var cost: @Sendable (Value) -> Int
    /// Returns the bytes to store on disk; nil to store nothing.
    var encode: @Sendable (Value) -> [UInt8]?
    /// Returns nil if the bytes are not such a document.
    var decode: @Sendable ([UInt8]) -> Value?
    /// Whether a document is stored, or only returned to the callers that wait for it.
    var isKept: @Sendable (Value) -> Bool = { _ in true }
    /// Whether the last document is used while its source is unreachable.
    var isUsedStale: @Sendable (Key) -> Bool = { _ in true }
    /// Whether a document from disk has all its parts.
    var isWhole: @Sendable (Value) -> Bool = { _ in true }
    /// Whether a document has everything that its source tells. One that was part of another
    /// document may not.
    var isComplete: @Sendable (Value) -> Bool = { _ in true }
}

extension DocumentForm where Value: Codable {
    /// Documents stored as JSON.
    ///
    /// - Parameters:
    ///   - cost: Returns the bytes of a document in memory.
    ///   - onDisk: Returns the part to store on disk; nil to store nothing.
    static func json(
        timeToLive: TimeInterval, failureLifetime: TimeInterval,
        cost: @escaping @Sendable (Value) -> Int,
        onDisk: @escaping @Sendable (Value) -> Value? = { $0 },
        diskKey: @escaping @Sendable (Key) -> String
    ) -> Self {
        Self(
            diskKey: diskKey, timeToLive: { _ in timeToLive }, failureLifetime: failureLifetime,
            cost: cost,
            // Because documents are plain values of strings and numbers, encoding can't fail.
            encode: { onDisk($0).flatMap { try? JSONEncoder().encode($0) }.map { Array($0) } },
            // A document that this version can't read any more is treated as not stored.
            decode: { try? JSONDecoder().decode(Value.self, from: Data($0)) })
    }
}
