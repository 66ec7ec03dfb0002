/// A policy of a cache, replayed against a trace: which of the values that it was given it still has.
protocol TracedPolicy {
    init(maxCost: Int, maxCount: Int)

    /// Counts a request. Returns whether the value is there; if not, the caller inserts it.
    mutating func request(_ key: Int) -> Bool
    /// Adds a value that may be there already, at most a quarter of the budget. It isn't a request.
    mutating func insert(_ key: Int, cost: Int)
    func contains(_ key: Int) -> Bool
    var cost: Int { get }
    var count: Int { get }
}
