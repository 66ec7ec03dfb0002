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

    /// Counts nothing.
    private final class Uncounted: Sendable {}

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

    /// Bytes of a response besides its body: its head, its stream, and what the engine and nghttp2 keep for them.
    /// Measured with 24,000 streams of HTTP/2 that wait for their windows: 12 KB each.
    private static let overhead = 12 << 10
    /// A body takes one part in this many of what is free at most, so that small ones always find room. A body alone
    /// takes what it needs, because it can't be made smaller.
    private static let shareOfFree = 2
    /// The same for the body of a refusal.
    private static let shareOfRefusal = 8
    /// A body that is smaller than its head is sent in any case, such as that of `/healthz`. Without room it is not
    /// counted, like the stream that it goes to.
    private static let tiny = 256
    /// A client's bodies take one part in this many of all, unless there is only one.
    private static let shareOfClient = 4

    private let budget: ByteBudget
    private let byClient = Mutex<[Client: Int]>([:])

    init(_ budget: ByteBudget) { self.budget = budget }

    /// Returns what counts a body of `bytes` as long as it lives; nil if the body doesn't fit.
    ///
    /// - Parameter isRefusal: whether the body is that of a refusal.
    func take(
        _ bytes: Int, for client: Client, isRefusal: Bool = false
    ) -> (any AnyObject & Sendable)? {
        counted(bytes, client, isRefusal ? Self.shareOfRefusal : Self.shareOfFree)
            ?? (bytes <= Self.tiny ? Uncounted() : nil)
    }

    private func counted(_ bytes: Int, _ client: Client, _ share: Int) -> Hold? {
        byClient.withLock { byClient in
            let (load, held) = (budget.load, byClient[client] ?? 0)
            let isAlone = load.held == 0
            let wanted = isAlone ? min(bytes + Self.overhead, load.limit) : bytes + Self.overhead
            guard isAlone || wanted <= (load.limit - load.held) / share,
                held == 0 || held + wanted <= load.limit / Self.shareOfClient,
                let taken = budget.take(wanted)
            else { return nil }
            byClient[client] = held + wanted
            return Hold(self, client, taken)
        }
    }

    private func give(_ bytes: Int, of client: Client) {
        byClient.withLock { byClient in
            let left = (byClient[client] ?? 0) - bytes
            assert(left >= 0, "a client gives back more than it took")
            byClient[client] = left > 0 ? left : nil
        }
    }
}
