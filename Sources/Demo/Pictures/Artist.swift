import PlayedAPIs

/// Designs every picture of the demo: equal seeds and subjects give equal pictures, at every size.
struct Artist: Sendable {
    /// Raised with every change that changes pictures: entity tags follow it.
    static let version: UInt64 = 3
    /// Quality of JPEG that gives files the bytes of real ones.
    static let quality = 86

    let seed: UInt64

    func poster(of show: DemoShow, _ slot: DemoShow.Slot) -> Picture {
        var random = SeededRandom(seed: seed, 4, UInt64(show.id), UInt64(slot.rawValue))
        let motif = Motif.suiting(title: show.name, genre: show.genres.first, &random)
        var words: [String: String] = [:]
        if slot.type == "poster" {
            let author = Words.filled("{credits.initials}. {credits.surnames}", &random)
            let year = show.premiered.map { " · \($0.prefix(4))" } ?? ""
            let line = "\(show.channel ?? "") presents · a series by \(author)\(year)"
            // Hair spaces between the letters, as credits are set.
            words["credits"] = line.uppercased().map(String.init).joined(separator: "\u{200A}")
            words["title"] = show.name
        }
        return Picture(motif, words: words, shape: slot.pixels, random)
    }

    /// A film keeps its motif and palette in its first posters and all backdrops; the second poster
    /// has no words on it.
    func picture(of image: DemoFilm.Image) -> Picture {
        let (film, isPoster) = (image.film, image.kind == .poster)
        let style = isPoster ? UInt64(image.variant / 2) : 0
        var random = SeededRandom(seed: seed, 19, UInt64(film.number), style)
        let motif = Motif.suiting(
            title: film.title, genre: film.genres.first?.television, &random)
        var picture = Picture(
            motif, palette: random.pick(motif.palettes), shape: image.pixels,
            SeededRandom(
                seed: seed, isPoster ? 17 : 18, UInt64(film.number), UInt64(image.variant)))
        guard isPoster, image.variant != 1 else { return picture }
        let cast = film.people.dropFirst().joined(separator: "  ·  ")
        let line = "\(film.studio) presents a film by \(film.people[0])  ·  \(film.year)"
        picture.words = ["title": film.title, "credits": "\(cast)\n\(line)".uppercased()]
        return picture
    }

    func cover(of album: DemoAlbum, shape: (width: Int, height: Int) = (1, 1)) -> Picture {
        var random = SeededRandom(seed: seed, 6, UInt64(album.number))
        let motif = random.pick(Motif.list("music \(album.genre.name)"))
        var words = [
            "artist": album.artist, "title": album.title,
            "issue": "\(album.label) \(4_000 + album.number)",
            "imprint": "\(album.label)\n\(album.year)",
        ]
        if Motif.list("posters").contains(motif) { words["credits"] = album.artist }
        return Picture(motif, words: words, shape: shape, surface: .sleeve, random)
    }

    func portrait(_ artist: DemoArtist, shape: (width: Int, height: Int)) -> Picture {
        var random = SeededRandom(seed: seed, 7, UInt64(artist.number))
        let motif = random.pick(Motif.list(artist.members > 1 ? "bands" : "soloists"))
        return Picture(
            motif, words: ["members": String(artist.members)], shape: shape,
            surface: .photograph, random)
    }

    func artwork(_ object: DemoObject) -> Picture {
        Picture(
            object.motif, shape: (object.width, object.height),
            surface: object.isTiles ? .glaze : .painting,
            SeededRandom(seed: seed, 10, UInt64(object.index)))
    }
}
