package import PlayedAPIs

package typealias DemoShow = TVMazeShow

extension TVMazeShow {
    package var quirk: TVMazeQuirk? { TVMazeQuirk(show: id) }

    /// Draws everything but the title from `random`.
    init(id: Int, title: String, _ random: inout SeededRandom) {
        self.init(id: id, name: title)
        url += "/\(title.slug)"
        let channel = random.pick(Self.channels)
        self.channel = channel.channel
        language = channel.language
        let main = random.pick(Self.mainGenres)
        let others = Self.sideGenres.filter { $0 != main }
        genres = [main] + random.picks(random.integer(in: 0...2), of: others)
        type =
            main == "History" && random.chance(0.5)
            ? "Documentary" : random.chance(0.12) ? "Animation" : "Scripted"
        let first = random.integer(in: 1988...2025)
        premiered = random.chance(0.97) ? random.date(in: first) : nil
        let last = first + random.integer(in: 0...9)
        ended = premiered != nil && last < 2025 ? random.date(in: last + 1) : nil
        runtime = random.chance(0.9) ? random.pick([22, 25, 30, 45, 50, 60, 60]) : nil
        day = random.pick(Self.days)
        time =
            channel.channel.isWeb
            ? "" : random.pick(["19:30", "20:00", "20:15", "21:00", "22:00"])
        rating = random.chance(0.85) ? Double(random.integer(in: 48...93)) / 10 : nil
        weight = random.integer(in: 1...100)
        summary = random.chance(0.96) ? Self.synopsis(title, genre: main, &random) : nil
        updated = random.integer(in: 1_500_000_000...1_760_000_000)
        image = links
    }

    /// What the API says of its picture.
    private var links: JSON {
        func url(_ size: TVMazePicture.Size) -> JSON {
            .string(TVMazePicture(show: id, slot: .mainPoster, size: size).url)
        }
        return switch quirk {
        case .noPicture: .null
        case .mediumMissing: Self.links(medium: nil, original: url(.original))
        case .mediumNull: Self.links(medium: .some(.null), original: url(.original))
        case .originalCut, .originalHTML, .mediumGone, nil:
            Self.links(medium: url(.portrait), original: url(.original))
        }
    }

    /// `/shows/{id}/images`: the main poster is often not the first, posters not before the others.
    var images: JSON {
        guard quirk != .noPicture else { return [] }
        let others: [TVMazePicture.Slot] =
            switch id % 4 {
            case 0: [.background, .unclassified]
            case 1: [.otherPoster, .banner]
            case 2: []
            default: [.banner, .background]
            }
        let slots = id % 3 == 0 ? [.mainPoster] + others : others + [.mainPoster]
        return .array(slots.map { image($0).json })
    }

    private func image(_ slot: TVMazePicture.Slot) -> TVMazeImage {
        func file(_ size: TVMazePicture.Size) -> TVMazeImage.File {
            let picture = TVMazePicture(show: id, slot: slot, size: size)
            return (picture.url, picture.pixels.width, picture.pixels.height)
        }
        let hidesMedium =
            slot == .mainPoster && (quirk == .mediumNull || quirk == .mediumMissing)
        return TVMazeImage(
            id: id * 10 + slot.rawValue, type: slot.type, isMain: slot == .mainPoster,
            original: file(.original), medium: hidesMedium ? nil : slot.mediumSize.map(file))
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

    private static let mainGenres = Words.list("shows.mainGenres")
    private static let sideGenres = Words.list("shows.sideGenres")
    private static let days = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    private static let channels = Words.rows("channels").enumerated().map { index, row in
        let country =
            row.count > 2 ? Country(name: row[2], code: row[3], timezone: row[4]) : nil
        return (
            channel: Channel(id: index + 1, name: row[0], country: country), language: row[1]
        )
    }
}
