import Synchronization

/// Bytes that may be in use at once, reserved before they are taken. Any thread.
///
/// Where it is split, small reservations have a fifth that large ones can't take, so that neither waits
/// for the other. Each kind is served in order: no reservation is passed by a later one of its kind, so none waits
/// for ever. A caller that waits should hold no other reservation, so that no two wait for each
/// other. How many wait is bounded by the callers' own queues.
package final class ByteBudget: Sendable {
    /// What is reserved until the last reference is gone.
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

        /// Gives bytes back, or takes more if they are free and nothing waits for them; never waits.
        /// False where it can't have more: then it is as it was.
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

    /// What is in use at a moment, in bytes.
    package struct Load: Sendable, Equatable {
        package var limit: Int
        package var held: Int
        /// The most that was ever held.
        package var peak: Int
        /// Callers that wait.
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
        /// No smaller ticket waits.
        var oldest: Ticket = 0

        /// Takes the bytes where they are free and nothing waits.
        mutating func take(_ bytes: Int) -> Bool {
            guard waiting.isEmpty, bytes <= limit - held else { return false }
            held += bytes
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

    /// The most that one reservation can have.
    package let largest: Int
    private let limit: Int
    /// Up to this a reservation is small: eight of them fit.
    private let smallest: Int
    private let state: Mutex<State>

    /// - Parameter isSplit: false where all reservations are of one kind.
    package init(bytes: Int, isSplit: Bool = true) {
        limit = max(0, bytes)
        largest = isSplit ? Self.largest(of: limit) : limit
        let small = limit - largest
        smallest = isSplit ? small / 8 : -1
        state = Mutex(State(small: Pool(limit: small), large: Pool(limit: largest)))
    }

    /// The most that one reservation of a split budget can have.
    package static func largest(of bytes: Int) -> Int { bytes - bytes / 5 }

    /// Waits for its turn and for room; cancelling ends the wait. More than ``largest`` counts as
    /// that.
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
                    state[kind].waiting[ticket] = Waiting(bytes: bytes, continuation: continuation)
                    // A smaller ticket than the oldest came in late: it is next.
                    state[kind].oldest = min(state[kind].oldest, ticket)
                    return false
                }
                if isFree {
                    StateChange.tell()
                    return continuation.resume(returning: Hold(self, bytes, kind))
                }
                StateChange.tell()
                // Cancelled before it waited, the handler found nothing to cancel.
                if Task.isCancelled { cancel(ticket, kind) }
            }
        } onCancel: {
            cancel(ticket, kind)
        }
        guard let hold else { throw CancellationError() }
        return hold
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
        // What was behind it may fit.
        if waiting != nil { serve(kind) }
    }

    fileprivate func release(_ bytes: Int, _ kind: Kind) {
        state.withLock { $0[kind].held -= bytes }
        StateChange.tell()
        serve(kind)
    }

    /// The kind that the hold is of afterwards; nil where it can't have so much.
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
            // Out of the small ones' part: as a whole, or not at all.
            guard kind == .small, state.large.take(new) else { return nil }
            state.small.held -= old
            state.notePeak()
            return .large
        }
        if let after, after != kind { serve(kind) }
        return after
    }

    /// Hands out what is free, in order.
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
