import Catalog
import Hashing
import Imaging
import Memory
import Store
import Synchronization

/// The editions of the settings. Work that began with one ends with it, whatever is reloaded meanwhile.
final class Editions: Sendable {
    private struct Pinned: Sendable {
        var owner: ObjectIdentifier
        var edition: Edition
    }

    @TaskLocal private static var pinned: Pinned?
    private let last: Mutex<Edition>
    private let number: Atomic<Int>

    init(_ first: Edition) {
        last = Mutex(first)
        number = Atomic(first.number)
    }

    /// The number of the newest edition, without a lock.
    var newestNumber: Int { number.load(ordering: .acquiring) }

    /// What new work begins with.
    var newest: Edition { last.withLock { $0 } }

    /// What the current work began with; the newest one for work that is not pinned.
    var current: Edition { pinned ?? newest }

    private var pinned: Edition? {
        guard let pinned = Self.pinned, pinned.owner == ObjectIdentifier(self) else { return nil }
        return pinned.edition
    }

    /// Whether the current work has the settings that new work begins with.
    var isNewest: Bool { pinned.map { $0 === newest } ?? true }

    /// Runs `work`, and all tasks that it starts, with one edition.
    ///
    /// - Parameter edition: nil for the one that the caller has.
    func during<Result>(
        _ edition: Edition? = nil, _ work: () async throws -> Result
    ) async rethrows -> Result {
        if edition == nil, pinned != nil { return try await work() }
        return try await Self.$pinned.withValue(
            Pinned(owner: ObjectIdentifier(self), edition: edition ?? newest), operation: work)
    }

    /// Runs `work` with one edition where no task has it, as in a call of the renderer.
    func during<Result>(_ edition: Edition, now work: () throws -> Result) rethrows -> Result {
        try Self.$pinned.withValue(
            Pinned(owner: ObjectIdentifier(self), edition: edition), operation: work)
    }

    /// Replaces the newest edition.
    func replace(_ make: (Edition) -> Edition) -> Edition {
        last.withLock { last in
            last = make(last)
            number.store(last.number, ordering: .releasing)
            return last
        }
    }
}
