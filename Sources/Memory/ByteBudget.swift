import Synchronization
import Threads

/// A limit of bytes in use at the same time. Callers reserve bytes before they allocate them. Any
/// thread.
///
/// If it is split, a fifth is reserved for small reservations, so that neither kind waits for the
/// other. Each kind is served in the order of arrival, so no reservation waits forever. A caller
/// that waits should hold no other reservation, so that no two callers wait for each other. The
/// callers' own queues limit how many wait.
package final class ByteBudget: Sendable {
    /// A reservation, released with its last reference.
    package final class Hold: Sendable {
        private let budget: ByteBudget
        private let state: Mutex<(bytes: Int, kind: Kind)>

        fileprivate init(_ budget: ByteBudget, _ bytes: Int, _ kind: Kind) {
            self.budget = budget
            state = Mutex((bytes, kind))
        }

        deinit {
            let (bytes, kind) = state.withLock { $0 }
            budget.release(bytes, kind)
        }

        package var bytes: Int { state.withLock { $0.bytes } }

        /// Shrinks the reservation, or grows it if the bytes are free and no caller waits for them.
        /// Never waits. Returns false, without a change, if it can't grow.
        package func resize(to bytes: Int) -> Bool {
            state.withLock { state in
                guard let kind = budget.resize(from: state.bytes, state.kind, to: bytes) else {
                    return false
                }
                state = (bytes, kind)
                return true
            }
        }
    }

    /// The use of a budget at one moment, in bytes.
    package struct Load: Sendable, Equatable {
        package var limit: Int
        package var held: Int
        /// The highest value of `held` so far.
        package var peak: Int
        /// Waiting callers.
        package var waiting: Int
    }

    fileprivate enum Kind { case small, large }

    private typealias Ticket = UInt64

    private struct Waiting {
        var bytes: Int
        var continuation: CheckedContinuation<Hold?, Never>
    }

    private struct Pool {
        let limit: Int
        var held = 0
        var waiting: [Ticket: Waiting] = [:]
        /// The smallest ticket that may be waiting.
        var oldest: Ticket = 0

        /// Takes the bytes if they are free and no caller waits.
        mutating func take(_ bytes: Int) -> Bool {
            assert(bytes >= 0, "fewer than no bytes are reserved")
            guard waiting.isEmpty, bytes <= limit - held else { return false }
            held += bytes
            assert(held <= limit, "more is reserved than there is")
            return true
        }
    }

    private struct State {
        var small: Pool
        var large: Pool
        var next: Ticket = 0
        var peak = 0

        subscript(kind: Kind) -> Pool {
            get { kind == .small ? small : large }
            set { if kind == .small { small = newValue } else { large = newValue } }
        }

        mutating func notePeak() { peak = max(peak, small.held + large.held) }
    }

    /// The largest possible reservation.
    package let largest: Int
    private let limit: Int
    /// The largest small reservation. Eight of them fit.
    private let smallest: Int
    private let state: Mutex<State>

    /// - Parameter isSplit: whether small and large reservations are kept apart.
    package init(bytes: Int, isSplit: Bool = true) {
        limit = max(0, bytes)
        largest = isSplit ? Self.largest(of: limit) : limit
        let small = limit - largest
        smallest = isSplit ? small / 8 : -1
        state = Mutex(State(small: Pool(limit: small), large: Pool(limit: largest)))
    }

    deinit {
        state.withLock { state in
            assert(
                state.small.held == 0 && state.large.held == 0,
                "bytes are lost: \(state.small.held), \(state.large.held)")
            assert(
                state.small.waiting.isEmpty && state.large.waiting.isEmpty, "a caller still waits")
            assert(state.peak <= limit, "more was reserved than there is")
        }
    }

    /// Returns the largest possible reservation of a split budget.
    package static func largest(of bytes: Int) -> Int { bytes - bytes / 5 }

    /// Waits for its turn and for free bytes. Canceling ends the wait. Larger values count as
    /// ``largest``.
    package func reserve(_ bytes: Int) async throws(CancellationError) -> Hold {
        let bytes = min(max(0, bytes), largest)
        let kind = kind(bytes)
        let ticket = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        let hold: Hold? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state[kind].take(bytes) {
                        state.notePeak()
                        return true
                    }
                    assert(state[kind].waiting[ticket] == nil, "two callers have one ticket")
                    state[kind].waiting[ticket] = Waiting(bytes: bytes, continuation: continuation)
                    // A smaller ticket than the oldest arrived late, so it is next.
                    state[kind].oldest = min(state[kind].oldest, ticket)
                    return false
                }
                if isFree {
                    StateChange.tell()
                    return continuation.resume(returning: Hold(self, bytes, kind))
                }
                StateChange.tell()
                // If it was canceled before it waited, the handler found nothing to cancel.
                if Task.isCancelled { cancel(ticket, kind) }
            }
        } onCancel: {
            cancel(ticket, kind)
        }
        guard let hold else { throw CancellationError() }
        return hold
    }

    /// Reserves bytes if they are free and no caller waits for them; nil otherwise. Never waits.
    package func take(_ bytes: Int) -> Hold? {
        let kind = kind(bytes)
        let isFree = state.withLock { state in
            guard state[kind].take(bytes) else { return false }
            state.notePeak()
            return true
        }
        guard isFree else { return nil }
        StateChange.tell()
        return Hold(self, bytes, kind)
    }

    package var load: Load {
        state.withLock { state in
            Load(
                limit: limit, held: state.small.held + state.large.held, peak: state.peak,
                waiting: state.small.waiting.count + state.large.waiting.count)
        }
    }

    private func kind(_ bytes: Int) -> Kind { bytes <= smallest ? .small : .large }

    private func cancel(_ ticket: Ticket, _ kind: Kind) {
        let waiting = state.withLock { $0[kind].waiting.removeValue(forKey: ticket) }
        waiting?.continuation.resume(returning: nil)
        StateChange.tell()
        // The next caller may fit now.
        if waiting != nil { serve(kind) }
    }

    fileprivate func release(_ bytes: Int, _ kind: Kind) {
        state.withLock { state in
            state[kind].held -= bytes
            assert(state[kind].held >= 0, "more bytes are given back than were reserved")
        }
        StateChange.tell()
        serve(kind)
    }

    /// Returns the new kind of the reservation, or nil if it can't grow.
    fileprivate func resize(from old: Int, _ kind: Kind, to new: Int) -> Kind? {
        if new <= old {
            release(old - new, kind)
            return kind
        }
        let after: Kind? = state.withLock { state in
            if kind == .large || new <= smallest, state[kind].take(new - old) {
                state.notePeak()
                return kind
            }
            // It leaves the part for small reservations as a whole or not at all.
            guard kind == .small, state.large.take(new) else { return nil }
            state.small.held -= old
            assert(state.small.held >= 0, "a reservation leaves a part that it was not in")
            state.notePeak()
            return .large
        }
        if let after, after != kind { serve(kind) }
        return after
    }

    /// Serves waiting callers in order while bytes are free.
    private func serve(_ kind: Kind) {
        while true {
            let next = state.withLock { state -> Waiting? in
                while state[kind].oldest < state.next {
                    let oldest = state[kind].oldest
                    guard let waiting = state[kind].waiting[oldest] else {
                        state[kind].oldest += 1
                        continue
                    }
                    guard waiting.bytes <= state[kind].limit - state[kind].held else { return nil }
                    state[kind].waiting[oldest] = nil
                    state[kind].held += waiting.bytes
                    assert(state[kind].held <= state[kind].limit, "more is reserved than there is")
                    state.notePeak()
                    return waiting
                }
                return nil
            }
            guard let next else { return }
            StateChange.tell()
            next.continuation.resume(returning: Hold(self, next.bytes, kind))
        }
    }
}
