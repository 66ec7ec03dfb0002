/// How the nodes of a fleet divide the rate of one origin, as it is stored.
///
/// The rate's `count` starts a window are as many slots. A node may start one transfer a window for
/// each slot it has. The sum of all slots never exceeds the count.
struct RateDocument: Sendable, Equatable, Codable {
    struct Member: Sendable, Equatable, Codable {
        var slots = 0
        /// Grows with each write. A member whose beat stands still is gone.
        var beat = 0
        /// When it was given slots last, in the order of all grants. Members without a slot get the
        /// next free one in this order.
        var granted = 0
        /// Whether it has something to fetch.
        var wants = true
    }

    var members: [String: Member] = [:]
    /// Number of grants so far.
    var grants = 0

    var slots: Int { members.values.reduce(0) { $0 + $1.slots } }
}
