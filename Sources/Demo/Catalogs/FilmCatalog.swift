/// An invented film.
package struct DemoFilm: Sendable, Equatable {
    /// Its place by popularity, from 0.
    let number: Int
    package let title: String
    let genres: [FilmGenre]
    /// ISO date.
    let date: String
    /// 0…10 with three decimals, in thousandths.
    let vote: Int
    /// The director, then the cast.
    let people: [String]
    let studio: String
    let overview: String

    package var id: Int { 100_007 + number * 13 }
    var year: Int { Int(date.prefix(4)) ?? 0 }
    var quirk: Quirk? { Quirk.tmdb(film: number) }

    init(number: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed, 15, UInt64(number))
        self.number = number
        title = Words.text("films.titles", &random)
        let main = random.pick(FilmGenre.main)
        let others = FilmGenre.all.filter { $0 != main }
        genres = [main] + random.picks(random.integer(in: 0...2), of: others)
        date = random.date(in: random.integer(in: 1946...2025))
        vote = random.integer(in: 4_900...8_750)
        people = (0..<4).map { _ in Words.text("people", &random) }
        studio = Words.text("films.studios", &random)
        let year = String((Int(date.prefix(4)) ?? 0) - random.integer(in: 3...60))
        let story = Words.text("films.stories", &random, ["year": year])
        overview = "\(story) \(Words.text("films.turns", &random))"
    }

    enum Kind: Sendable { case poster, backdrop }

    /// One of its pictures.
    struct Image: Sendable {
        let film: DemoFilm
        let kind: Kind
        /// Its place among those of its kind, the best first; the second poster has no words on it.
        let variant: Int

        /// `/628Dep6AxEtDxjZoGP78TsOxYbK.jpg`.
        var path: String {
            let number = film.number * 16 + (kind == .poster ? 0 : 4) + variant
            return "/\(SeededRandom.name(51, number, length: 27)).jpg"
        }

        /// The language of the words on it; `nil` if it has no words.
        var language: String? { kind == .poster ? ["en", nil, "uk", "nl"][variant] : nil }

        /// Pixels of the original. Posters aren't always 2:3.
        var pixels: (width: Int, height: Int) {
            let posters = [
                (1_000, 1_500), (1_200, 1_800), (1_000, 1_500), (1_000, 1_480), (1_080, 1_600),
                (1_000, 1_350),
            ]
            return kind == .poster
                ? posters[(film.number + variant) % posters.count] : (1_920, 1_080)
        }
    }

    func images(_ kind: Kind) -> [Image] {
        let count =
            switch (kind, quirk) {
            case (_, .noPicture), (.poster, .noPoster): 0
            case (.poster, _): 1 + number % 4
            case (.backdrop, _): 1 + number % 2
            }
        return (0..<count).map { Image(film: self, kind: kind, variant: $0) }
    }
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

/// Films of the demo, made from a seed.
package struct FilmCatalog: Sendable {
    /// The most popular first.
    package let films: [DemoFilm]
    private let best: [DemoFilm]

    static let pageSize = 20

    package init(seed: UInt64) {
        films = (0..<1_000).map { DemoFilm(number: $0, seed: seed) }
        best = films.sorted { ($1.vote, $0.number) < ($0.vote, $1.number) }
    }

    /// Returns nil if no list has a film with this id.
    func film(id: Int) -> DemoFilm? {
        let number = (id - 100_007) / 13
        return films.indices.contains(number) && films[number].id == id ? films[number] : nil
    }

    /// Twenty films, from page 1; after the last film the first ones come again. The list shifts
    /// between two readings: a page with an even number begins with the film that the page before
    /// ended with.
    package func popular(page: Int) -> [DemoFilm] {
        let first = (page - 1) / 2 * (2 * Self.pageSize - 1)
        let start = page.isMultiple(of: 2) ? first + Self.pageSize - 1 : first
        return (start..<(start + Self.pageSize)).map { films[$0 % films.count] }
    }

    /// Best first; empty past the end.
    package func topRated(page: Int) -> [DemoFilm] {
        Array(best.dropFirst((page - 1) * Self.pageSize).prefix(Self.pageSize))
    }

    /// Most popular first.
    func films(for term: String) -> [DemoFilm] {
        let words = SearchWords(term)
        return films.filter { words.begin($0.title) }
    }
}
