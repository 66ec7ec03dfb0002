/// An item's details and its chain, as its source gave them.
package struct ItemDetails: Sendable, Equatable, Codable {
    package var entry: CatalogEntry
    /// Steps in their general order of preference. ``orderedChain(for:)`` orders them for a level.
    package var chain: [ChainStep]
    /// Why the chain is empty, as a sentence for people, if the source says so.
    package var absence: String?
    /// Why better pictures may be missing, as a sentence for people, if part of the chain could not
    /// be read.
    package var unread: String?
    /// False if a list described the item but not its pictures. Its details are then fetched when
    /// they are needed.
    package var isResolved: Bool
    /// False if a list omitted parts of the entry that only the item's details contain, such as an
    /// album's songs. The item's picture doesn't need them.
    package var isComplete: Bool

    package init(
        entry: CatalogEntry, chain: [ChainStep], isResolved: Bool = true, isComplete: Bool = true
    ) {
        self.entry = entry
        self.chain = chain
        self.isResolved = isResolved
        self.isComplete = isComplete
    }
}

extension ItemDetails {
    /// Returns the chain for a level, with candidates and items only. Scalable candidates get the
    /// size of the box. Within each rank the order is:
    ///
    /// 1. the smallest candidate at least as wide as the box, then larger ones
    /// 2. candidates of unknown width
    /// 3. smaller candidates, largest first
    ///
    /// Equal candidates keep their order. A step to another item stays after every candidate listed
    /// before it.
    package func orderedChain(for box: PictureBox) -> [ChainStep] {
        chain.ordered(for: box)
    }
}

extension [ChainStep] {
    /// As ``ItemDetails/orderedChain(for:)``.
    package func ordered(for box: PictureBox) -> [ChainStep] {
        let chain = flatMap { $0.sized(for: box) }
        return
            chain
            .split(maxSplits: .max, omittingEmptySubsequences: false) { $0.linkedItem != nil }
            .flatMap { run in
                let next = run.endIndex < chain.endIndex ? [chain[run.endIndex]] : []
                return Self.ordered(run, for: box) + next
            }
    }

    private static func ordered(
        _ run: ArraySlice<ChainStep>, for box: PictureBox
    ) -> [ChainStep] {
        // The offset in the key makes the order stable; `sort` alone doesn't promise it.
        run.enumerated()
            .compactMap { offset, step in
                step.candidate.map { (step, $0.rank, $0.preference(forWidth: box.width), offset) }
            }
            .sorted { ($0.1, $0.2, $0.3) < ($1.1, $1.2, $1.3) }
            .map(\.0)
    }
}

extension ChainStep {
    fileprivate func sized(for box: PictureBox) -> [ChainStep] {
        guard case .scalable(let scalable) = self else { return [self] }
        return scalable.candidates(for: box).map(ChainStep.candidate)
    }

    fileprivate var candidate: Candidate? {
        if case .candidate(let candidate) = self { candidate } else { nil }
    }

    fileprivate var linkedItem: Item? {
        if case .item(let item) = self { item } else { nil }
    }
}

extension Candidate {
    /// Returns the sort key: covering widths as they are, then unknown widths, then widths that are
    /// too small. A lower key is better.
    fileprivate func preference(forWidth wanted: Int) -> Int {
        guard let width, Bounds.side.contains(width) else { return Int.max / 2 }
        return width >= wanted ? width : Int.max - width
    }
}

extension [ItemDetails] {
    /// The items without later duplicates. Shifting pages and editions cause them.
    var withoutRepeats: [ItemDetails] {
        var seen: Set<Item> = []
        return filter { seen.insert($0.entry.item).inserted }
    }
}
