import Synchronization

/// Bounds the streams of server-sent events, which last as long as their clients want: so they have a small share of
/// the connections to themselves, and leave the others for requests that end. Any thread.
final class EventPlaces: Sendable {
    /// A place, until the last reference is gone.
    private final class Place: Sendable {
        private let places: EventPlaces
        private let client: String?

        init(_ places: EventPlaces, _ client: String?) {
            (self.places, self.client) = (places, client)
        }

        deinit { places.give(client) }
    }

    private struct State {
        var taken = 0
        var byClient: [String: Int] = [:]
    }

    /// One connection in this many is a stream of events at most.
    private static let shareOfConnections = 16
    /// More are of no use to people who look at a status.
    private static let most = 256
    /// A client has one place in this many at most, and ``mostOfClient``: the tabs of a browser.
    private static let shareOfClient = 4
    private static let mostOfClient = 8

    let limit: Int
    let limitOfClient: Int
    private let state = Mutex(State())

    init(connections: Int) {
        limit = min(Self.most, max(1, connections / Self.shareOfConnections))
        limitOfClient = min(Self.mostOfClient, max(1, limit / Self.shareOfClient))
    }

    var taken: Int { state.withLock { $0.taken } }

    /// Returns a place; nil if all are taken, or the client has as many as one may have.
    ///
    /// - Parameter client: as ``ClientAddress`` tells it; nil for one that can't be told from others.
    func take(_ client: String?) -> (any AnyObject & Sendable)? {
        let isFree = state.withLock { state in
            guard state.taken < limit else { return false }
            if let client {
                let count = state.byClient[client] ?? 0
                guard count < limitOfClient else { return false }
                state.byClient[client] = count + 1
            }
            state.taken += 1
            assert(state.taken <= limit, "more streams of events are open than may")
            assert(
                state.byClient.values.reduce(0, +) <= state.taken,
                "clients have other places than are taken")
            return true
        }
        return isFree ? Place(self, client) : nil
    }

    private func give(_ client: String?) {
        state.withLock { state in
            state.taken -= 1
            assert(
                client.map { state.byClient[$0] != nil } ?? true,
                "a client gives back a place that it has not")
            assert(state.taken >= 0, "a place is given back twice")
            guard let client, let count = state.byClient[client] else { return }
            state.byClient[client] = count > 1 ? count - 1 : nil
        }
    }
}
