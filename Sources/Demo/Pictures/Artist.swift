import Imaging

/// Designs every picture of the demo: equal seeds and subjects give equal pictures, at every size.
struct Artist: Sendable {
    /// Raised with every change that changes pictures: entity tags follow it.
    static let version: UInt64 = 2
    /// Qualities of JPEG that give files the bytes of real ones.
    static let posterQuality = 86
    static let mediumQuality = 88
    static let coverQuality = 86
    static let artworkQuality = 84

    let seed: UInt64

    // MARK: Shows

    /// The original, then the medium one where there is one. Blocks for some tens of milliseconds.
    func files(_ slot: PictureName.Slot, of show: DemoShow) throws -> [[UInt8]] {
        let pixels = PictureName(show: show.id, slot: slot, size: .original).pixels
        let canvas = try poster(of: show, slot).draw(width: pixels.width, height: pixels.height)
        let original = try canvas.encodeJPEG(quality: Self.posterQuality)
        guard let size = slot.mediumSize else { return [original] }
        let small = PictureName(show: show.id, slot: slot, size: size).pixels
        let medium = try Canvas(width: small.width, height: small.height)
        // The whole width; what is too high is cut evenly above and below.
        let height = Double(small.width) * Double(canvas.height) / Double(canvas.width)
        medium.draw(
            canvas, x: 0, y: (Double(small.height) - height) / 2, width: Double(small.width),
            height: height)
        return [original, try medium.encodeJPEG(quality: Self.mediumQuality)]
    }

    func poster(of show: DemoShow, _ slot: PictureName.Slot) throws -> Picture {
        var random = SeededRandom(seed: seed, 4, UInt64(show.id), UInt64(slot.rawValue))
        let motif = Motif.suiting(title: show.title, genre: show.genres.first, &random)
        var words: [String: String] = [:]
        if slot == .mainPoster || slot == .otherPoster {
            let author = "\(random.pick(Self.initials)). \(random.pick(Self.surnames))"
            let year = show.firstYear.map { " · \($0)" } ?? ""
            let line = "\(show.channel.name) presents · a series by \(author)\(year)".uppercased()
            // Hair spaces between the letters, as credits are set.
            words["credits"] = line.map(String.init).joined(separator: "\u{200A}")
            words["title"] = show.title
        }
        return Picture(
            motif: motif, palette: random.pick(try motif.palettes), words: words, random: random,
            shape: PictureName(show: show.id, slot: slot, size: .original).pixels)
    }

    private static let initials = Words.list("credits.initials")
    private static let surnames = Words.list("credits.surnames")

    // MARK: Films

    /// A film keeps its motif and palette in its first posters and all backdrops; the second poster
    /// has no words on it.
    func poster(of film: DemoFilm, variant: Int) throws -> Picture {
        var picture = try picture(of: film, style: UInt64(variant / 2), 17, variant)
        picture.shape = TMDBImage(subject: .poster(film.number, variant: variant)).pixels
        guard variant != 1 else { return picture }
        let cast = film.cast.map(\.name).joined(separator: "  ·  ")
        let line = "\(film.studio) presents a film by \(film.director.name)  ·  \(film.year)"
        picture.words = ["title": film.title, "credits": "\(cast)\n\(line)".uppercased()]
        return picture
    }

    func backdrop(of film: DemoFilm, variant: Int) throws -> Picture {
        var picture = try picture(of: film, style: 0, 18, variant)
        picture.shape = (1_920, 1_080)
        return picture
    }

    private func picture(
        of film: DemoFilm, style: UInt64, _ salt: UInt64, _ variant: Int
    ) throws -> Picture {
        var random = SeededRandom(seed: seed, 19, UInt64(film.number), style)
        let motif = Motif.suiting(
            title: film.title, genre: film.genres.first?.television, &random)
        return Picture(
            motif: motif, palette: random.pick(try motif.palettes),
            random: SeededRandom(seed: seed, salt, UInt64(film.number), UInt64(variant)),
            shape: (2, 3))
    }

    // MARK: Music

    func cover(_ credits: CoverCredits, shape: (width: Int, height: Int) = (1, 1)) throws -> Picture
    {
        var random = SeededRandom(seed: seed, 6, UInt64(credits.number))
        let motif = random.pick(Motif.suiting(credits.genre))
        var words = [
            "artist": credits.artist, "title": credits.title, "label": credits.label,
            "issue": "\(credits.label) \(4_000 + credits.number)",
            "imprint": "\(credits.label)\n\(credits.year)",
        ]
        if Motif.posters.contains(motif) { words["credits"] = credits.artist }
        return Picture(
            motif: motif, palette: random.pick(try motif.palettes), words: words, random: random,
            shape: shape, surface: .sleeve)
    }

    func portrait(_ artist: DemoArtist, shape: (width: Int, height: Int)) throws -> Picture {
        var random = SeededRandom(seed: seed, 7, UInt64(artist.number))
        let motifs: [Motif] =
            artist.members > 1 ? [.group, .group, .stage] : [.bust, .bust, .stage]
        var picture = try portrait(random.pick(motifs), random, shape)
        picture.words["members"] = String(artist.members)
        return picture
    }

    /// Somebody who makes films.
    func face(_ number: Int) throws -> Picture {
        try portrait(.bust, SeededRandom(seed: seed, 8, UInt64(number)), (2, 3))
    }

    private func portrait(
        _ motif: Motif, _ random: SeededRandom, _ shape: (width: Int, height: Int)
    ) throws -> Picture {
        var random = random
        return Picture(
            motif: motif, palette: random.pick(try motif.palettes), random: random, shape: shape,
            surface: .photograph)
    }

    // MARK: The museum

    func artwork(_ object: DemoObject) throws -> Picture {
        var random = SeededRandom(seed: seed, 10, UInt64(object.index))
        let subject = object.subject
        let motif = subject == .portrait ? .sitter : Motif(rawValue: subject.rawValue) ?? .tiles
        return Picture(
            motif: motif, palette: random.pick(try motif.palettes), random: random,
            shape: (object.width, object.height), surface: motif == .tiles ? .glaze : .painting)
    }
}

extension Motif {
    /// What suits a show or a film: often what its title speaks of, else what its genre looks like.
    static func suiting(
        title: String, genre: String?, _ random: inout SeededRandom
    ) -> Motif {
        let subject = titles.first { $0.0.contains(where: { title.contains($0) }) }
        if let subject, random.chance(0.6) { return random.pick(subject.1) }
        return random.pick(genre.flatMap { genres[$0] } ?? posters)
    }

    static func suiting(_ genre: MusicGenre) -> [Motif] { music[genre.rawValue] ?? [.minimal] }

    private static let titles = Words.rows("motifs.titles").map { row in
        (row[0].split(separator: " "), motifs(row[1]))
    }
    private static let genres = table("motifs.genres")
    private static let music = table("motifs.music")

    private static func table(_ name: String) -> [String: [Motif]] {
        Words.rows(name).reduce(into: [:]) { $0[$1[0]] = motifs($1[1]) }
    }

    private static func motifs(_ names: String) -> [Motif] {
        names.split(separator: " ").compactMap { Motif(rawValue: String($0)) }
    }
}

extension FilmGenre {
    /// What shows of its kind are called, by which posters are designed.
    fileprivate var television: String {
        switch self {
        case .scienceFiction: "Science-Fiction"
        case .action: "Thriller"
        case .western: "Adventure"
        case .animation: "Family"
        default: name
        }
    }
}
