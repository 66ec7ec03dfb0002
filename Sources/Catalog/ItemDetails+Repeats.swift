extension [ItemDetails] {
    /// The items without later duplicates. Shifting pages and editions cause them.
    var withoutRepeats: [ItemDetails] {
        var seen: Set<Item> = []
        return filter { seen.insert($0.entry.item).inserted }
    }
}
