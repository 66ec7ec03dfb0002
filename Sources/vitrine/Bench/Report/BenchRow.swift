/// One measured case of a report.
struct BenchRow: Sendable, Equatable, Codable {
    /// Whether what is measured was in a cache before.
    enum State: String, Sendable, Codable {
        /// Nothing that could be reused: every round does the whole work.
        case cold
        /// Answered from a cache that was filled before the round.
        case warm
    }

    /// What a case is, known before it runs.
    struct Head: Sendable, Equatable, Codable {
        /// Stable over versions, unique in a report, and what `--compare` joins on:
        /// `thumbnails/posters/all-levels/threads=2`, with `/peer=vipsthumbnail` for a peer.
        var id: String
        var subject: BenchSubject
        /// What a plot groups by, in display order: `corpus=posters`, `threads=2`.
        var labels: [BenchSetting]
        var state: State
        /// Program and version of a peer; nil for this program.
        var peer: String?
        /// What differs from the other rows of its kind, as a sentence.
        var note: String?

        /// - Parameter what: the parts of the id after the subject. Parts with a `=` become labels,
        ///   too.
        init(
            _ subject: BenchSubject, _ what: [String], labels: [BenchSetting] = [],
            state: State = .cold, peer: String? = nil, note: String? = nil
        ) {
            self.subject = subject
            id = ([subject.rawValue] + what).joined(separator: "/")
            self.labels =
                labels
                + what.compactMap { part in
                    let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
                    return pair.count == 2 ? BenchSetting(pair[0], pair[1]) : nil
                }
            self.state = state
            self.peer = peer
            self.note = note
        }

        /// The value of a label.
        subscript(_ label: String) -> String? { labels.first { $0.name == label }?.value }
    }

    var head: Head
    /// The headline first. Every round has a value of each, or nil.
    var figures: [BenchFigure]
    /// Of all rounds together.
    var latency: LatencySummary?
    /// Work that failed: pictures, requests, or whole rounds.
    var errors = 0
    /// The first failure, as a sentence.
    var firstError: String?
    /// SHA-256 over the outputs of a round, which is the same in every round; nil without outputs.
    var digest: String?
    /// Share of all processors that other programs had in each round, 0 to 1; nil where unknown.
    var others: [Double?]

    var id: String { head.id }
    var headline: BenchFigure? { figures.first }

    subscript(_ name: String) -> BenchFigure? { figures.first { $0.quantity.name == name } }
}

/// A name and its value, kept in order: a setting, a label, a library's version.
struct BenchSetting: Sendable, Hashable, Codable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
