import FoundationEssentials
import Memory
import Synchronization

/// How many items wait for their upload. Any thread.
final class WaitingUploads: Sendable {
    private struct State {
        var count = 0
        var oldest: Date?
        var bell: AsyncStream<Void>.Continuation?
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int) { self.most = most }

    /// The count is too high by items that were marked twice, until the next ``set(_:_:)``.
    var status: (count: Int, oldest: Date?) { state.withLock { ($0.count, $0.oldest) } }

    /// Counts another item. Returns false if too many wait.
    func add() -> Bool {
        let bell = state.withLock { state -> AsyncStream<Void>.Continuation?? in
            guard state.count < most else { return nil }
            state.count += 1
            return .some(state.bell)
        }
        guard let bell else { return false }
        bell?.yield()
        return true
    }

    func set(_ count: Int, _ oldest: Date?) {
        state.withLock { state in
            state.count = count
            state.oldest = oldest
        }
        StateChange.tell()
    }

    /// Sets what is told about new items.
    func ring(_ bell: AsyncStream<Void>.Continuation?) { state.withLock { $0.bell = bell } }
}
