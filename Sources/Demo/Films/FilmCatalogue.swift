/// Films of the demo, made from a seed when they are asked for.
package struct FilmCatalogue: Sendable {
    let seed: UInt64
    /// The films that searches and the best-rated list know.
    private let known: [DemoFilm]
    private let best: [Int]

    static let pageSize = 20
    /// Pages over this are refused, whatever the number of pages is said to be.
    static let maxPage = 500
    private static let knownCount = 1_000

    package init(seed: UInt64) {
        self.seed = seed
        let known = (0..<Self.knownCount).map { DemoFilm(number: $0, seed: seed) }
        self.known = known
        best = known.indices.sorted { (known[$1].vote, $0) < (known[$0].vote, $1) }
    }

    func film(_ number: Int) -> DemoFilm {
        known.indices.contains(number) ? known[number] : DemoFilm(number: number, seed: seed)
    }

    /// `nil` where the id is no film's of any page.
    func film(id: Int) -> DemoFilm? {
        guard let number = DemoFilm.number(id: id), number < Self.popularCount else { return nil }
        return film(number)
    }

    /// Twenty films, from page 1. The list shifts between two readings: a page with an even number
    /// begins with the film that the page before ended with.
    package func popular(page: Int) -> [DemoFilm] {
        let first = (page - 1) / 2 * (2 * Self.pageSize - 1)
        let start = page.isMultiple(of: 2) ? first + Self.pageSize - 1 : first
        return (start..<(start + Self.pageSize)).map(film)
    }

    /// Two pages have 39 different films.
    private static let popularCount = maxPage / 2 * (2 * pageSize - 1)

    /// Best first; empty past the end.
    package func topRated(page: Int) -> [DemoFilm] {
        best.dropFirst((page - 1) * Self.pageSize).prefix(Self.pageSize).map { known[$0] }
    }

    var topRatedCount: Int { best.count }

    /// Most popular first.
    func films(for term: String) -> [DemoFilm] {
        let words = SearchWords(term)
        return known.filter { words.begin($0.title) }
    }

    func people(for term: String) -> [FilmPerson] {
        let words = SearchWords(term)
        return (0..<FilmPerson.count).map(FilmPerson.init).filter { words.begin($0.name) }
    }

    /// Up to three of the films that somebody made or plays in.
    func films(with person: FilmPerson) -> [DemoFilm] {
        Array(known.lazy.filter { $0.director == person || $0.cast.contains(person) }.prefix(3))
    }
}

extension DemoFilm {
    init(number: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed, 15, UInt64(number))
        self.number = number
        title = FilmWriter.title(&random)
        let main = random.pick(Self.mainGenres)
        genres =
            [main]
            + random.picks(
                random.integer(in: 0...2), of: FilmGenre.allCases.filter { $0 != main })
        language = random.pick(["en", "en", "en", "en", "fr", "nl", "no", "ja"])
        date = DemoShow.date(in: random.integer(in: 1946...2025), &random)
        runtime = random.integer(in: 78...171)
        vote = random.integer(in: 4_900...8_750)
        votes = random.integer(in: 12...19_000)
        var people = random.picks(4, of: Array(0..<FilmPerson.count))
        director = FilmPerson(number: people.remove(at: random.integer(in: 0...3)))
        cast = people.map(FilmPerson.init)
        studio = random.pick(FilmWriter.studios)
        tagline = FilmWriter.tagline(&random)
    }

    private static let mainGenres: [FilmGenre] = [
        .drama, .drama, .thriller, .crime, .mystery, .scienceFiction, .fantasy, .adventure,
        .comedy, .romance, .horror, .history, .family, .action, .western, .animation,
    ]
}
