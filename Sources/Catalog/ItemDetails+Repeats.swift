extension [ItemDetails] {
    /// Each item where it comes first: pages that shift between calls, and editions, repeat items.
    var withoutRepeats: [ItemDetails] {
        var seen: Set<Item> = []
        return filter { seen.insert($0.entry.item).inserted }
    }
}
