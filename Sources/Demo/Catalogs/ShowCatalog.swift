import JSON
package import PlayedAPIs

package typealias DemoShow = TVMazeShow

/// All shows of the demo, made from a seed.
package struct ShowCatalog: Sendable {
    /// Sorted by id; ids have gaps, as deleted shows leave them.
    package let shows: [DemoShow]
    private let byID: [Int: DemoShow]

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
        byID = Dictionary(uniqueKeysWithValues: shows.map { ($0.id, $0) })
    }

    /// `nil` in a gap and past the end.
    package func show(_ id: Int) -> DemoShow? { byID[id] }

    /// How many pages the index has; every one covers 250 ids.
    package var pages: Int { shows.last.map { $0.id / 250 + 1 } ?? 0 }

    /// The shows with ids 250·page … 250·page + 249; `nil` past the end.
    package func page(_ page: Int) -> [DemoShow]? {
        (0..<pages).contains(page) ? shows.filter { $0.id / 250 == page } : nil
    }

    /// About one id in 25 is unused; the first page always begins with show 1.
    private static func isGap(_ id: Int, seed: UInt64) -> Bool {
        var random = SeededRandom(seed: seed, 2, UInt64(id))
        return id > 1 && random.chance(0.04)
    }
}

extension TVMazeShow {
    package var quirk: Quirk? { Quirk.tvmaze(show: id) }

    /// Draws everything but the title from `random`.
    fileprivate init(id: Int, title: String, _ random: inout SeededRandom) {
        self.init(id: id, name: title)
        self.url += "/\(title.slug)"
        let channel = random.pick(Words.rows("channels"))
        self.channel = channel[0]
        language = channel[1]
        isStreamed = channel.count == 2
        let main = random.pick(Words.list("shows.mainGenres"))
        let others = Words.list("shows.sideGenres").filter { $0 != main }
        genres = [main] + random.picks(random.integer(in: 0...2), of: others)
        let year = random.integer(in: 1988...2025)
        premiered = random.chance(0.97) ? random.date(in: year) : nil
        summary = random.chance(0.96) ? Self.synopsis(title, genre: main, &random) : nil
        updated = random.integer(in: 1_500_000_000...1_760_000_000)
        func url(_ size: Size) -> JSON {
            .text(Slot.mainPoster.url(of: id, size))
        }
        image =
            switch quirk {
            case .noPicture: .null
            case .mediumMissing: Self.links(medium: nil, original: url(.original))
            case .mediumNull: Self.links(medium: .some(.null), original: url(.original))
            default: Self.links(medium: url(.portrait), original: url(.original))
            }
    }

    /// Two or three sentences in one or two paragraphs of HTML.
    private static func synopsis(
        _ title: String, genre: String, _ random: inout SeededRandom
    ) -> String {
        let title = title.split(separator: "&", omittingEmptySubsequences: false)
            .joined(separator: "&amp;")
        let mood = Words.rows("synopsis.moods").first { $0[0] == genre }?[1] ?? "other"
        var text = Words.text("synopsis", &random, ["title": title])
        text += " " + Words.text("synopsis.turns.\(mood)", &random)
        if random.chance(0.45) { text += "</p><p>" + Words.text("synopsis.closings", &random) }
        return text + "</p>"
    }
}

// MARK: - Pictures

extension TVMazeShow {
    /// The folders of the image host.
    enum Size: String, Sendable {
        case original = "original_untouched"
        /// 210×295 exactly, whatever the original's shape.
        case portrait = "medium_portrait"
        /// 758×140.
        case leaderboard = "medium_leaderboard"
    }

    /// A show has up to five pictures.
    enum Slot: Int, Sendable, CaseIterable {
        case mainPoster, otherPoster, background, banner, unclassified

        /// What the API calls it. Old pictures have no type.
        var type: String? {
            switch self {
            case .mainPoster, .otherPoster: "poster"
            case .background: "background"
            case .banner: "banner"
            case .unclassified: nil
            }
        }

        var pixels: (width: Int, height: Int) {
            switch self {
            case .mainPoster, .otherPoster: (680, 1_000)
            case .background: (1_280, 720)
            case .banner: (758, 140)
            case .unclassified: (700, 467)
            }
        }

        /// Backgrounds and the unclassified have no medium size.
        var medium: (size: Size, width: Int, height: Int)? {
            switch self {
            case .mainPoster, .otherPoster: (.portrait, 210, 295)
            case .banner: (.leaderboard, 758, 140)
            case .background, .unclassified: nil
            }
        }

        /// Ten numbers are for each show; the folder is the number by 2,500.
        func url(of show: Int, _ size: Size) -> String {
            let number = show * 10 + rawValue
            return
                "https://\(TVMazeShow.imageHost)/uploads/images/\(size.rawValue)/\(number / 2_500)/"
                + "\(number).jpg"
        }
    }
}
