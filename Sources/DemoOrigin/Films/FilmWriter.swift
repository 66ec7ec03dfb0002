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

    static let studios = [
        "Ninefold Pictures", "Skerry Film", "Lantern Features", "Kade 9 Film", "Studio Boréal",
        "Hoshizora", "Tallgrass",
    ]
    private static let sequels = [
        "Meridian II", "Low Barrow Rising", "Return to Saltmere", "Meridian III: Undertow",
        "Vinterhavn: The Thaw", "The Ferryman’s Daughter", "Another Year at Copperfell",
        "Kestrel Bay Forever", "Cold Marrow Reloaded",
    ]
    private static let taglines = [
        "Some tides don’t turn.", "Nobody leaves on the last ferry.", "Listen to the walls.",
        "The map was right all along.", "Love keeps its own time.", "Every clock has a witness.",
        "Based on a rumour.", "They should have sold the house.", "The sky is only the beginning.",
        "He came for the weekend. The weekend stayed.", "", "",
    ]
    private static let turns = [
        "Then the river runs dry, and what lies on its bed changes everything.",
        "But the lights across the bay have started to answer.",
        "Only the dog seems to notice that the house has grown a floor.",
        "When the last train is cancelled, eleven strangers must share one secret.",
        "What begins as a lie about the weather ends as a revolution.",
        "An old debt, a stolen organ and a wedding do the rest.",
        "Nothing has prepared them for the winter that follows.",
        "The town agrees to forget; one child does not.",
    ]
}
