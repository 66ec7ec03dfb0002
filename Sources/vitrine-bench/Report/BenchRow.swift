import ArgumentParser

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
        /// A ``BenchSubject``, or one of an earlier version.
        var subject: String
        var labels: [BenchSetting]
        var state: State
        /// Program and version of a peer; nil for this program.
        var peer: String?
        /// What is measured, for people: `thumbnails from memory`. Earlier reports have none.
        var words: String?
        /// What differs from the other rows of its kind, as a sentence.
        var note: String?

        /// - Parameter what: the parts of the id after the subject. Parts with a `=` become labels,
        ///   too.
        init(
            _ subject: BenchSubject, _ what: [String], _ words: String, state: State = .cold,
            peer: (name: String, version: String)? = nil, note: String? = nil
        ) {
            self.subject = subject.rawValue
            let parts = what + (peer.map { ["peer=\($0.name)"] } ?? [])
            id = ([subject.rawValue] + parts).joined(separator: "/")
            labels = parts.compactMap { part in
                let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
                return pair.count == 2 ? BenchSetting(pair[0], pair[1]) : nil
            }
            self.state = state
            self.words = words
            self.peer = peer?.version
            self.note = note
        }

        /// The value of a label.
        subscript(_ label: String) -> String? { labels.first { $0.name == label }?.value }

        /// The same as the row of one of several configurations.
        func with(configuration name: String) -> Head {
            var head = self
            head.id += "/config=\(name)"
            head.words? += ", \(name)"
            head.labels.append(BenchSetting("config", name))
            return head
        }
    }

    /// Share of all processors from which on other programs change what is measured.
    static let busyShare = 0.1

    var head: Head
    /// The headline first. Every round has a value of each, or nil.
    var figures: [BenchFigure]
    /// Of all rounds together.
    var latency: LatencySummary?
    /// Work that failed: pictures, requests, or whole rounds.
    var errors = 0
    /// The first failure, as a sentence.
    var firstError: String?
    /// Rounds without figures because another program, which helps to measure, had ended; nil without any.
    var missed: Int?
    /// The first reason, as a sentence.
    var missedBecause: String?
    /// SHA-256 over the outputs of a round, which is the same in every round; nil without outputs.
    var digest: String?
    /// Share of all processors that other programs had in each round, 0 to 1; nil where unknown.
    var others: [Double?]

    var id: String { head.id }
    var headline: BenchFigure? { figures.first }
    /// The id without the subject.
    var shortID: String { String(id.drop { $0 != "/" }.dropFirst()) }
    /// What is measured, for people.
    var words: String { head.words ?? shortID }
    /// The id of this program's row that a peer is measured beside.
    var ownID: String {
        id.split(separator: "/").filter { !$0.hasPrefix("peer=") }.joined(separator: "/")
    }

    subscript(_ name: String) -> BenchFigure? { figures.first { $0.quantity.name == name } }

    /// Whether other programs had enough of the machine to change wall times.
    var isBusy: Bool {
        guard let others = BenchStatistics(others.compactMap(\.self)) else { return false }
        return others.median > Self.busyShare
    }

    /// Returns how many times a peer's figure this one is, round by round; nil without both.
    func ratio(_ name: String, to peer: BenchRow) -> Double? {
        guard let own = self[name], let other = peer[name] else { return nil }
        return BenchStatistics.pairedRatio(own.samples, to: other.samples)
    }

    /// Adds to each row with several threads what they gain over one, round by round.
    static func withScaling(_ rows: [BenchRow]) -> [BenchRow] {
        rows.map { row in
            guard row.head.peer == nil, let count = row.head["threads"].flatMap({ Int($0) }),
                count > 1, let own = row.headline,
                let single = rows.first(where: {
                    $0.id == row.id.replacing("threads=\(count)", with: "threads=1")
                })?.headline
            else { return row }
            var row = row
            let shares = zip(own.samples, single.samples).map { many, one -> Double? in
                guard let many, let one, one > 0 else { return nil }
                return 100 * many / (Double(count) * one)
            }
            row.figures.append(BenchFigure(.scaling, shares))
            return row
        }
    }
}

/// What `vitrine bench` can measure.
enum BenchSubject: String, Sendable, Codable, CaseIterable, ExpressibleByArgument {
    case thumbnails, fetch, serve, warm, store

    /// Time with `--quick`. All together leave some seconds of five minutes for the last rounds.
    var quickBudget: Duration {
        switch self {
        case .thumbnails: .seconds(75)
        case .serve: .seconds(120)
        case .fetch: .seconds(40)
        case .warm: .seconds(25)
        case .store: .seconds(15)
        }
    }
}
