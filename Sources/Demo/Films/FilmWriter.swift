/// Titles, taglines and stories of films that don't exist.
enum FilmWriter {
    static func title(_ random: inout SeededRandom) -> String {
        switch random.integer(in: 0...9) {
        case 0: "The Last \(random.pick(TitleWriter.professions))"
        case 1: "\(random.pick(TitleWriter.places)) \(random.integer(in: 1931...1989))"
        case 2: "The \(random.pick(TitleWriter.nouns)) Affair"
        case 3: "\(random.pick(TitleWriter.names)) and the \(random.pick(TitleWriter.nouns))"
        case 4: random.pick(sequels)
        case 5: "No \(random.pick(TitleWriter.plurals)) in \(random.pick(TitleWriter.places))"
        default: TitleWriter.title(&random)
        }
    }

    static func tagline(_ random: inout SeededRandom) -> String { random.pick(taglines) }

    static func overview(of film: DemoFilm, seed: UInt64) -> String {
        var random = SeededRandom(seed: seed, 16, UInt64(film.number))
        let name = random.pick(TitleWriter.names)
        let place = random.pick(TitleWriter.places)
        let profession = random.pick(TitleWriter.professions).lowercased()
        let beginning =
            switch random.integer(in: 0...2) {
            case 0: "In \(film.year - random.integer(in: 3...60)), \(name) comes to \(place) as "
            case 1: "\(place) has not had a visitor in years when \(name) arrives, once "
            default: "For one summer \(name) pretends to be "
            }
        let end = [random.pick(turns), random.pick(turns)]
        return "\(beginning)the best \(profession) in the country. \(end[0])"
            + (end[0] == end[1] || random.chance(0.4) ? "" : " \(end[1])")
    }

    static let studios = Words.list("films.studios")
    private static let sequels = Words.list("films.sequels")
    private static let taglines = Words.list("films.taglines")
    private static let turns = Words.list("films.turns")
}
