import PlayedAPIs

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

    func poster(of show: DemoShow, _ slot: TVMazePicture.Slot) throws -> Picture {
        var random = SeededRandom(seed: seed, 4, UInt64(show.id), UInt64(slot.rawValue))
        let motif = Motif.suiting(title: show.name, genre: show.genres.first, &random)
        var words: [String: String] = [:]
        if slot.type == "poster" {
            let author = Words.filled("{credits.initials}. {credits.surnames}", &random)
            let year = show.premiered.map { " · \($0.prefix(4))" } ?? ""
            let line = "\(show.channel?.name ?? "") presents · a series by \(author)\(year)"
            // Hair spaces between the letters, as credits are set.
            words["credits"] = line.uppercased().map(String.init).joined(separator: "\u{200A}")
            words["title"] = show.name
        }
        let shape = TVMazePicture(show: show.id, slot: slot, size: .original).pixels
        return try Picture(motif, words: words, shape: shape, random)
    }

    /// A film keeps its motif and palette in its first posters and all backdrops; the second poster
    /// has no words on it.
    func poster(of film: DemoFilm, variant: Int) throws -> Picture {
        var picture = try picture(
            of: film, style: UInt64(variant / 2), 17, variant,
            shape: TMDBImage(subject: .poster(film.number, variant: variant)).pixels)
        guard variant != 1 else { return picture }
        let cast = film.cast.map(\.name).joined(separator: "  ·  ")
        let line = "\(film.studio) presents a film by \(film.director.name)  ·  \(film.year)"
        picture.words = ["title": film.title, "credits": "\(cast)\n\(line)".uppercased()]
        return picture
    }

    func backdrop(of film: DemoFilm, variant: Int) throws -> Picture {
        try picture(of: film, style: 0, 18, variant, shape: (1_920, 1_080))
    }

    private func picture(
        of film: DemoFilm, style: UInt64, _ salt: UInt64, _ variant: Int,
        shape: (width: Int, height: Int)
    ) throws -> Picture {
        var random = SeededRandom(seed: seed, 19, UInt64(film.number), style)
        let motif = Motif.suiting(
            title: film.title, genre: film.genres.first?.television, &random)
        return try Picture(
            motif, palette: random.pick(motif.template.palettes), shape: shape,
            SeededRandom(seed: seed, salt, UInt64(film.number), UInt64(variant)))
    }

    func cover(_ credits: CoverCredits, shape: (width: Int, height: Int) = (1, 1)) throws -> Picture
    {
        var random = SeededRandom(seed: seed, 6, UInt64(credits.number))
        let motif = random.pick(Motif.list("music \(credits.genre.name)"))
        var words = [
            "artist": credits.artist, "title": credits.title, "label": credits.label,
            "issue": "\(credits.label) \(4_000 + credits.number)",
            "imprint": "\(credits.label)\n\(credits.year)",
        ]
        if Motif.list("posters").contains(motif) { words["credits"] = credits.artist }
        return try Picture(motif, words: words, shape: shape, surface: .sleeve, random)
    }

    func portrait(_ artist: DemoArtist, shape: (width: Int, height: Int)) throws -> Picture {
        var random = SeededRandom(seed: seed, 7, UInt64(artist.number))
        let motif = random.pick(Motif.list(artist.members > 1 ? "bands" : "soloists"))
        return try Picture(
            motif, words: ["members": String(artist.members)], shape: shape,
            surface: .photograph, random)
    }

    /// A person who makes films or plays in them.
    func face(_ number: Int) throws -> Picture {
        try Picture(
            Motif.list("faces")[0], shape: (2, 3), surface: .photograph,
            SeededRandom(seed: seed, 8, UInt64(number)))
    }

    func artwork(_ object: DemoObject) throws -> Picture {
        try Picture(
            object.subject.motif, shape: (object.width, object.height),
            surface: object.subject.isTiles ? .glaze : .painting,
            SeededRandom(seed: seed, 10, UInt64(object.index)))
    }
}
