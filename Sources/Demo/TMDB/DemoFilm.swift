import PlayedAPIs

/// An invented film.
package struct DemoFilm: Sendable, Equatable {
    /// Its place by popularity, from 0.
    let number: Int
    package let title: String
    let genres: [FilmGenre]
    let language: String
    /// ISO date.
    let date: String
    let runtime: Int
    /// 0…10 with three decimals, in thousandths.
    let vote: Int
    let votes: Int
    let director: FilmPerson
    let cast: [FilmPerson]
    let studio: String
    let tagline: String

    package var id: Int { 100_007 + number * 13 }

    static func number(id: Int) -> Int? {
        let offset = id - 100_007
        return offset >= 0 && offset.isMultiple(of: 13) ? offset / 13 : nil
    }

    /// In thousandths; falls as the number rises.
    var popularity: Int { 2_400_000 / (4 + number) * 4 + number % 7 }

    var year: Int { Int(date.prefix(4)) ?? 0 }

    var quirk: TMDBQuirk? { TMDBQuirk(film: number) }

    init(number: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed, 15, UInt64(number))
        self.number = number
        title = Words.text("films.titles", &random)
        let main = random.pick(FilmGenre.main)
        let others = FilmGenre.all.filter { $0 != main }
        genres = [main] + random.picks(random.integer(in: 0...2), of: others)
        language = random.pick(["en", "en", "en", "en", "fr", "nl", "no", "ja"])
        date = random.date(in: random.integer(in: 1946...2025))
        runtime = random.integer(in: 78...171)
        vote = random.integer(in: 4_900...8_750)
        votes = random.integer(in: 12...19_000)
        var people = random.picks(4, of: Array(0..<FilmPerson.count))
        director = FilmPerson(number: people.remove(at: random.integer(in: 0...3)))
        cast = people.map(FilmPerson.init)
        studio = Words.text("films.studios", &random)
        tagline = Words.text("films.taglines", &random)
    }

    private func overview(seed: UInt64) -> String {
        var random = SeededRandom(seed: seed, 16, UInt64(number))
        let year = String(year - random.integer(in: 3...60))
        let story = Words.text("films.stories", &random, ["year": year])
        let turns = [Words.text("films.turns", &random), Words.text("films.turns", &random)]
        return "\(story) \(turns[0])"
            + (turns[0] == turns[1] || random.chance(0.4) ? "" : " \(turns[1])")
    }

    /// Its posters, best first.
    var posters: [TMDBImage] {
        switch quirk {
        case .noPoster, .noPictures: []
        case .originalGone, nil:
            (0..<(1 + number % 4)).map { TMDBImage(subject: .poster(number, variant: $0)) }
        }
    }

    var backdrops: [TMDBImage] {
        guard quirk != .noPictures else { return [] }
        return (0...(number % 2)).map { TMDBImage(subject: .backdrop(number, variant: $0)) }
    }

    private func movie(seed: UInt64) -> TMDBMovie {
        var movie = TMDBMovie(
            id: id, title: title, poster: posters.first?.path,
            backdrop: backdrops.first?.path)
        movie.language = language
        movie.overview = overview(seed: seed)
        movie.popularity = Double(popularity) / 1_000
        movie.date = date
        movie.vote = Double(vote) / 1_000
        movie.votes = votes
        return movie
    }

    /// As an element of a list. Some films still have a genre that the list of genres has no
    /// longer.
    func listed(seed: UInt64, tellsKind: Bool = false) -> JSON {
        movie(seed: seed).listed(
            genres: genres.map(\.id) + (number % 17 == 4 ? [10_769] : []), tellsKind: tellsKind)
    }

    func details(seed: UInt64) -> JSON {
        movie(seed: seed).details(
            genres: genres.map { ($0.id, $0.name) }, runtime: runtime, studio: studio,
            tagline: tagline)
    }

    /// As `/movie/{id}/images` has it.
    ///
    /// - Parameter languages: those wanted, with `null` for pictures without words; nil wants all.
    func images(languages: Set<String>?) -> JSON {
        func wanted(_ images: [TMDBImage]) -> [JSON] {
            images.filter { languages?.contains($0.language ?? "null") != false }.map { image in
                TMDBDocument.image(
                    image.path, language: image.language, width: image.pixels.width,
                    height: image.pixels.height)
            }
        }
        return TMDBDocument.images(
            of: id, posters: wanted(posters),
            backdrops: wanted(backdrops))
    }
}

/// A person who makes films or plays in them. There are forty.
struct FilmPerson: Sendable, Hashable {
    let number: Int

    static let count = 40

    var id: Int { 50_021 + number * 17 }

    /// First names and surnames come round at different times, so that all forty differ.
    var name: String {
        "\(Self.firstNames[number % 8]) \(Self.surnames[(number / 8 * 3 + number % 8 * 5) % 15])"
    }

    private static let firstNames = Words.list("people.firstNames")
    private static let surnames = Words.list("people.surnames")
}

/// A genre of TMDB, with its id there.
struct FilmGenre: Sendable, Hashable {
    let id: Int
    let name: String
    /// What shows of its kind are called, by which posters are designed.
    let television: String

    static let all = Words.rows("films.genres").map { row in
        FilmGenre(id: Int(row[0]) ?? 0, name: row[1], television: row.count > 2 ? row[2] : row[1])
    }
    /// First genres of films, the frequent ones several times.
    static let main = Words.list("films.mainGenres").compactMap { name in
        all.first { $0.name == name }
    }
}
