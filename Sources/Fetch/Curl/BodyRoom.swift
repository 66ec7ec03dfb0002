import Memory
import Synchronization

/// The memory of a transfer's body. What is needed before the head arrives is reserved when the transfer's host
/// lets it start: requests that wait for a slow host keep no memory from others. Any thread.
final class BodyRoom: Sendable {
    private enum State {
        case open
        /// Waits for its turn.
        case asked(Task<Void, Never>)
        case held(ByteBudget.Hold)
        /// The transfer ended while it waited.
        case ended
    }

    private let budget: ByteBudget
    private let bytes: Int
    private let state: Mutex<State>

    /// - Parameter bytes: needed for the start.
    init(_ budget: ByteBudget, _ bytes: Int) {
        (self.budget, self.bytes) = (budget, bytes)
        state = Mutex(.open)
    }

    /// Waits for its turn and for the bytes.
    static func reserved(
        _ budget: ByteBudget, _ bytes: Int
    ) async throws(CancellationError) -> BodyRoom {
        let hold = try await budget.reserve(bytes)
        let room = BodyRoom(budget, bytes)
        room.state.withLock { $0 = .held(hold) }
        return room
    }

    /// The reservation; nil before the start.
    var hold: ByteBudget.Hold? {
        state.withLock { if case .held(let hold) = $0 { hold } else { nil } }
    }

    /// Returns whether the bytes are reserved. If not, `wake` is called once they are. Never blocks.
    func take(orWake wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            switch state {
            case .held, .ended: return true
            case .asked: return false
            case .open: break
            }
            if let hold = budget.take(bytes) {
                state = .held(hold)
                return true
            }
            // Unstructured, because the network thread can't wait.
            state = .asked(Task { await self.reserve(wake) })
            return false
        }
    }

    private func reserve(_ wake: @Sendable () -> Void) async {
        do throws(CancellationError) {
            let hold = try await budget.reserve(bytes)
            // Released outside the lock if the transfer has ended.
            state.withLock { if case .asked = $0 { $0 = .held(hold) } }
            wake()
        } catch {
            // The transfer ended.
        }
    }

    /// Waits no longer. What is reserved stays until the last reference to this.
    func end() {
        let asking = state.withLock { state -> Task<Void, Never>? in
            guard case .asked(let task) = state else { return nil }
            state = .ended
            return task
        }
        asking?.cancel()
    }
}
