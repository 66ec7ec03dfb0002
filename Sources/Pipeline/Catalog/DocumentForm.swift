import FoundationEssentials

/// What a ``DocumentCache`` does with its documents.
struct DocumentForm<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The key on disk.
    var diskKey: @Sendable (Key) -> String
    /// Seconds.
    var timeToLive: @Sendable (Key) -> TimeInterval
    /// Seconds a failed call is remembered.
    var failureLifetime: TimeInterval = 0
    /// What it costs of the bound in memory.
    var cost: @Sendable (Value) -> Int
    /// The part that belongs on disk; nil is nothing.
    var encode: @Sendable (Value) -> [UInt8]?
    /// Nil where the bytes are no such document.
    var decode: @Sendable ([UInt8]) -> Value?
    /// Whether it is kept at all, or only handed to those that wait for it.
    var isKept: @Sendable (Value) -> Bool = { _ in true }
    /// Whether what lies on disk is all there was.
    var isWhole: @Sendable (Value) -> Bool = { _ in true }
    /// Whether it tells all that its source can; what came with other documents may not.
    var isComplete: @Sendable (Value) -> Bool = { _ in true }
}

extension DocumentForm where Value: Codable {
    /// Documents as JSON, each of which counts as one in memory.
    ///
    /// - Parameter onDisk: the part that belongs on disk; nil is nothing.
    static func json(
        timeToLive: TimeInterval, failureLifetime: TimeInterval,
        onDisk: @escaping @Sendable (Value) -> Value? = { $0 },
        diskKey: @escaping @Sendable (Key) -> String
    ) -> Self {
        Self(
            diskKey: diskKey, timeToLive: { _ in timeToLive }, failureLifetime: failureLifetime,
            cost: { _ in 1 },
            // Because documents are plain values of strings and numbers, encoding can't fail.
            encode: { onDisk($0).flatMap { try? JSONEncoder().encode($0) }.map { Array($0) } },
            // A document of an older program that can't be read any more is as good as none.
            decode: { try? JSONDecoder().decode(Value.self, from: Data($0)) })
    }
}
