/// Lists that take turns. Pure.
enum TakingTurns {
    /// Returns the first of each list, then the second of each, up to the limit.
    static func merge<Element>(_ lists: [[Element]], limit: Int) -> [Element] {
        var merged: [Element] = []
        for turn in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where turn < list.count {
                if merged.count == limit { return merged }
                merged.append(list[turn])
            }
        }
        return merged
    }
}
