import FoundationEssentials
import Synchronization
import Threads

/// How many items wait for their upload. Any thread.
final class WaitingUploads: Sendable {
    private struct State {
        var count = 0
        var oldest: Date?
        var bell: AsyncStream<Void>.Continuation?
        /// Callers that upload an item themselves.
        var own: [String: Int] = [:]
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int) { self.most = most }

    /// The count is too high by items that were marked twice, until the next ``set(_:_:)``.
    var status: (count: Int, oldest: Date?) { state.withLock { ($0.count, $0.oldest) } }

    /// Counts another item, whose mark is written next. Returns false if too many wait.
    func add() -> Bool {
        state.withLock { state in
            guard state.count < most else { return false }
            state.count += 1
            return true
        }
    }

    /// Tells the background that marks were written.
    func ring() { state.withLock(\.bell)?.yield() }

    func set(_ count: Int, _ oldest: Date?) {
        state.withLock { state in
            state.count = count
            state.oldest = oldest
        }
        StateChange.tell()
    }

    /// Runs work that uploads an item itself. The background leaves its mark alone meanwhile, and finds it
    /// later if the work fails.
    func owning<Value>(_ item: String, _ work: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.own[item, default: 0] += 1 }
        defer {
            state.withLock { state in
                let left = state.own[item, default: 1] - 1
                state.own[item] = left > 0 ? left : nil
            }
        }
        return try await work()
    }

    func isOwn(_ item: String) -> Bool { state.withLock { $0.own[item] != nil } }
    var ownCount: Int { state.withLock { $0.own.count } }

    /// Sets what is told about new items.
    func ring(_ bell: AsyncStream<Void>.Continuation?) { state.withLock { $0.bell = bell } }
}
