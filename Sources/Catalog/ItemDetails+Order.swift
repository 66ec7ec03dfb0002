extension ItemDetails {
    /// The chain for a level: rank by rank the smallest candidate at least `width` wide, then larger
    /// ones, then those of unknown width, then smaller ones, largest first.
    ///
    /// Equals keep their order, and a step to another item stays after every candidate listed before
    /// it.
    package func orderedChain(forWidth width: Int) -> [ChainStep] {
        chain
            .split(maxSplits: .max, omittingEmptySubsequences: false) { $0.linkedItem != nil }
            .flatMap { run in
                let next = run.endIndex < chain.endIndex ? [chain[run.endIndex]] : []
                return Self.ordered(run, forWidth: width) + next
            }
    }

    private static func ordered(
        _ run: ArraySlice<ChainStep>, forWidth width: Int
    ) -> [ChainStep] {
        // The offset in the key makes the order stable; `sort` alone doesn't promise it.
        run.enumerated()
            .compactMap { offset, step in
                step.candidate.map { (step, $0.rank, $0.preference(forWidth: width), offset) }
            }
            .sorted { ($0.1, $0.2, $0.3) < ($1.1, $1.2, $1.3) }
            .map(\.0)
    }
}

extension ChainStep {
    fileprivate var candidate: Candidate? {
        if case .candidate(let candidate) = self { candidate } else { nil }
    }

    fileprivate var linkedItem: Item? {
        if case .item(let item) = self { item } else { nil }
    }
}

extension Candidate {
    /// Less is better: covering widths as they are, then the unknown, then what is too small.
    fileprivate func preference(forWidth wanted: Int) -> Int {
        guard let width else { return Int.max / 2 }
        return width >= wanted ? width : Int.max - width
    }
}
