package import HTTP

/// What all connections of the server did since the start, over all threads.
package struct ConnectionCounters: Sendable {
    /// Pictures from prepared bytes, `HEAD` included.
    package let hits: Int
    /// 304 for pictures from prepared bytes.
    package let notModified: Int
    /// Other responses from prepared bytes and files.
    package let others: Int
    /// Requests that a responder answered.
    package let responded: Int
    /// Connections accepted.
    package let accepted: Int
    /// Connections open now.
    package let open: Int
    /// Requests refused before routing: 400, 408, 414, 431, 501, 503, 505.
    package let refused: Int
    /// Connections closed because their client neither sent nor read for too long.
    package let timedOut: Int

    package init(_ threads: [HitCounters]) {
        func sum(_ count: (HitCounters) -> Int) -> Int { threads.reduce(0) { $0 + count($1) } }
        func prepared(_ routes: [HitRoute], _ count: (HitCounters.Responses) -> Int) -> Int {
            sum { thread in
                routes.reduce(0) { sum, route in
                    [false, true].reduce(sum) {
                        $0 + count(thread.responses(route, isStale: $1))
                    }
                }
            }
        }
        hits = prepared([.picture]) { $0.whole.now }
        notModified = prepared([.picture]) { $0.notModified.now }
        others = prepared(HitRoute.allCases.filter { $0 != .picture }) {
            $0.whole.now + $0.partial.now + $0.notModified.now
        }
        responded = sum { $0.responded.now }
        accepted = sum { $0.accepted.now }
        open = sum { $0.open.now }
        refused = sum { $0.refused.now }
        timedOut = sum { $0.timedOut.now }
    }
}
