/// Names of musicians, albums and songs that don't exist.
enum MusicWriter {
    static func artist(_ random: inout SeededRandom) -> (name: String, members: Int) {
        switch random.integer(in: 0...9) {
        case 0, 1, 2:
            ("\(random.pick(firstNames)) \(random.pick(lastNames))", 1)
        case 3, 4:
            (
                "The \(random.pick(TitleWriter.adjectives)) \(random.pick(bandPlurals))",
                random.integer(in: 3...5)
            )
        case 5: ("The \(random.pick(bandPlurals))", random.integer(in: 3...5))
        case 6:
            (
                "\(random.pick(lastNames)) \(random.pick(["Trio", "Quartet", "Quintet"]))",
                random.integer(in: 3...5)
            )
        case 7:
            (
                "\(random.pick(TitleWriter.places)) \(random.pick(ensembles))",
                random.integer(in: 4...5)
            )
        case 8: ("\(random.pick(firstNames)) & the \(random.pick(bandPlurals))", 4)
        default: ("\(random.pick(TitleWriter.materials)) \(random.pick(bandWords))", 2)
        }
    }

    static func album(_ random: inout SeededRandom) -> String {
        switch random.integer(in: 0...15) {
        case 0, 1: "\(random.pick(colours)) \(random.pick(hours))"
        case 2: "Songs for \(random.pick(TitleWriter.names))"
        case 3: "Live at \(random.pick(TitleWriter.places))"
        case 4: "\(random.pick(TitleWriter.nouns)) Music"
        case 5: "\(random.pick(TitleWriter.numbers)) \(random.pick(TitleWriter.plurals))"
        case 6: "Night \(random.pick(bandPlurals))"
        case 7: "\(random.pick(TitleWriter.gerunds)) \(random.pick(TitleWriter.plurals))"
        case 8: "The \(random.pick(hours)) \(random.pick(TitleWriter.prepositions))"
        case 9: random.pick(TitleWriter.places)
        case 10: "\(random.pick(TitleWriter.materials)) at Night"
        case 11: "\(random.pick(TitleWriter.adjectives)) \(random.pick(bandWords))"
        case 12: "A \(random.pick(TitleWriter.measures)) of \(random.pick(TitleWriter.plurals))"
        case 13: "Night \(random.pick(TitleWriter.nouns))"
        case 14: "\(random.pick(TitleWriter.nouns)) / \(random.pick(TitleWriter.nouns))"
        default: "\(random.pick(TitleWriter.prepositions)) the \(random.pick(TitleWriter.nouns))"
        }
    }

    static func song(_ random: inout SeededRandom) -> String {
        switch random.integer(in: 0...6) {
        case 0: "\(random.pick(TitleWriter.prepositions)) \(random.pick(TitleWriter.places))"
        case 1: "\(random.pick(colours)) \(random.pick(TitleWriter.materials))"
        case 2: random.pick(TitleWriter.plurals)
        case 3: "\(random.pick(TitleWriter.gerunds)) \(random.pick(TitleWriter.plurals))"
        case 4: "\(random.pick(TitleWriter.names))’s \(random.pick(bandWords))"
        case 5: "\(random.pick(TitleWriter.adjectives)) \(random.pick(hours))"
        default: "\(random.pick(TitleWriter.nouns)) in \(random.pick(TitleWriter.materials))"
        }
    }

    static let labels = Words.list("music.labels")
    private static let firstNames = Words.list("music.firstNames")
    private static let lastNames = Words.list("music.lastNames")
    private static let bandPlurals = Words.list("music.bandPlurals")
    private static let bandWords = Words.list("music.bandWords")
    private static let ensembles = Words.list("music.ensembles")
    private static let colours = Words.list("music.colours")
    private static let hours = Words.list("music.hours")
}
