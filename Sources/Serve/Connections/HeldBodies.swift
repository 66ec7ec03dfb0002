import HTTP
import Memory
import Synchronization

/// Counts the bytes of bodies in memory that clients have not taken yet, whatever made them. They belong to the
/// memory for responses. Never waits. Any thread.
final class HeldBodies: Sendable {
    /// Whose bytes are counted together.
    enum Client: Hashable, Sendable {
        /// As ``ClientAddress`` tells it.
        case address(String)
        /// Of this machine, or behind a proxy, which many clients share.
        case connection(Int)
        /// Of requests that are refused before they are understood.
        case refused
    }

    /// What was taken, until the last reference is gone.
    private final class Hold: Sendable {
        private let bodies: HeldBodies
        private let client: Client
        private let taken: ByteBudget.Hold

        init(_ bodies: HeldBodies, _ client: Client, _ taken: ByteBudget.Hold) {
            (self.bodies, self.client, self.taken) = (bodies, client, taken)
        }

        deinit { bodies.give(taken.bytes, of: client) }
    }

    /// A small body that belongs to its connection's memory.
    private final class SmallHold: Sendable {
        private let bodies: HeldBodies
        private let connection: Int

        init(_ bodies: HeldBodies, _ connection: Int) {
            (self.bodies, self.connection) = (bodies, connection)
        }

        deinit { bodies.giveSmall(of: connection) }
    }

    private struct State {
        var byClient: [Client: Int] = [:]
        /// Small bodies that were sent without room, by connection.
        var small: [Int: Int] = [:]
    }

    /// Bytes of a response besides its body: its head, its stream, and what the engine and nghttp2 keep for them.
    /// Measured with 24,000 streams of HTTP/2 that wait for their windows: 2 KB each.
    private static let overhead = 4 << 10
    /// A body takes one part in this many of what is free at most, so that small ones always find room. A body alone
    /// takes what it needs, because it can't be made smaller.
    private static let shareOfFree = 2
    /// The same for the body of a refusal.
    private static let shareOfRefusal = 8
    /// A body that is smaller than its head, such as that of `/healthz`, is sent without room, too, as long as its
    /// connection has few of these. They count for the connection.
    private static let small = 256
    private static let maxSmall = 4
    /// A client's bodies take one part in this many of all, unless there is only one.
    private static let shareOfClient = 4

    private let budget: ByteBudget
    private let state = Mutex(State())

    init(_ budget: ByteBudget) { self.budget = budget }

    deinit {
        state.withLock {
            assert($0.byClient.isEmpty && $0.small.isEmpty, "bodies are held that nothing holds")
        }
    }

    /// Returns what counts a body of `bytes` as long as it lives; nil if the body doesn't fit.
    ///
    /// - Parameter isRefusal: whether the body is that of a refusal.
    func take(
        _ bytes: Int, for client: Client, isRefusal: Bool = false
    ) -> (any AnyObject & Sendable)? {
        let share = isRefusal ? Self.shareOfRefusal : Self.shareOfFree
        return state.withLock { state -> Hold? in
            let (load, held) = (budget.load, state.byClient[client] ?? 0)
            let isAlone = load.held == 0
            let wanted = isAlone ? min(bytes + Self.overhead, load.limit) : bytes + Self.overhead
            guard isAlone || wanted <= (load.limit - load.held) / share,
                held == 0 || held + wanted <= load.limit / Self.shareOfClient,
                let taken = budget.take(wanted)
            else { return nil }
            state.byClient[client] = held + wanted
            return Hold(self, client, taken)
        }
    }

    /// Returns what counts a small body for which there is no room; nil if it isn't small, or its connection has
    /// as many as it may.
    func takeSmall(_ bytes: Int, on connection: Int) -> (any AnyObject & Sendable)? {
        guard bytes <= Self.small else { return nil }
        return state.withLock { state -> SmallHold? in
            let held = state.small[connection] ?? 0
            guard held < Self.maxSmall else { return nil }
            state.small[connection] = held + 1
            return SmallHold(self, connection)
        }
    }

    private func give(_ bytes: Int, of client: Client) {
        state.withLock { state in
            let left = (state.byClient[client] ?? 0) - bytes
            assert(left >= 0, "a client gives back more than it took")
            state.byClient[client] = left > 0 ? left : nil
        }
    }

    private func giveSmall(of connection: Int) {
        state.withLock { state in
            let left = (state.small[connection] ?? 0) - 1
            assert(left >= 0, "a connection gives back more than it took")
            state.small[connection] = left > 0 ? left : nil
        }
    }
}
