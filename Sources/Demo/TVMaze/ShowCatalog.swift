import PlayedAPIs

/// All shows of the demo, made from a seed.
package struct ShowCatalog: Sendable {
    /// Sorted by id; ids have gaps, as deleted shows leave them.
    package let shows: [DemoShow]
    private let positions: [Int: Int]

    /// A show depends on the seed and its id alone, apart from its title, which no earlier show
    /// has; so a larger catalog begins with a smaller one.
    package init(seed: UInt64, count: Int) {
        var shows: [DemoShow] = []
        var titles: Set<String> = []
        var id = 0
        while shows.count < count {
            id += 1
            if Self.isGap(id, seed: seed) { continue }
            var random = SeededRandom(seed: seed, 1, UInt64(id))
            // Numbers of their own, so that drawing a title again changes nothing else.
            var words = SeededRandom(seed: seed, 5, UInt64(id))
            var title = Words.text("titles", &words)
            var tries = 1
            while !titles.insert(title).inserted {
                tries += 1
                title = Words.text("titles", &words)
                // There are words for almost five thousand titles; after that, numbers.
                if tries > 20 { title += " \(id)" }
            }
            shows.append(DemoShow(id: id, title: title, &random))
        }
        self.shows = shows
        positions = Dictionary(
            uniqueKeysWithValues: shows.enumerated().map { ($0.element.id, $0.offset) })
    }

    /// `nil` in a gap and past the end.
    package func show(_ id: Int) -> DemoShow? {
        positions[id].map { shows[$0] }
    }

    /// How many pages the index has; every one covers 250 ids.
    package var pages: Int { shows.last.map { $0.id / 250 + 1 } ?? 0 }

    /// The shows with ids 250·page … 250·page + 249; `nil` past the end.
    package func page(_ page: Int) -> ArraySlice<DemoShow>? {
        guard (0..<pages).contains(page) else { return nil }
        let first = shows.firstIndex { $0.id >= page * 250 } ?? shows.endIndex
        let end = shows.firstIndex { $0.id >= (page + 1) * 250 } ?? shows.endIndex
        return shows[first..<end]
    }

    /// About one id in 25 is unused; the first page always begins with show 1.
    private static func isGap(_ id: Int, seed: UInt64) -> Bool {
        var random = SeededRandom(seed: seed, 2, UInt64(id))
        return id > 1 && random.chance(0.04)
    }
}
