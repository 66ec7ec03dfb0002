/// Films of the demo, made from a seed when they are asked for.
package struct FilmCatalog: Sendable {
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

    /// Returns nil if no page has a film with this id.
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

    /// Up to three of the films that a person made or plays in.
    func films(with person: FilmPerson) -> [DemoFilm] {
        Array(known.lazy.filter { $0.director == person || $0.cast.contains(person) }.prefix(3))
    }
}
