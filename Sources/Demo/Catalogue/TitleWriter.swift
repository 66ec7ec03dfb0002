/// Titles of shows that don't exist.
enum TitleWriter {
    static func title(_ random: inout SeededRandom) -> String {
        switch random.integer(in: 0...13) {
        case 0, 1: "The \(random.pick(adjectives)) \(random.pick(nouns))"
        case 2: "\(random.pick(nouns)) of \(random.pick(materials))"
        case 3, 4: "\(random.pick(adjectives)) \(random.pick(nouns))"
        case 5: "\(random.pick(names))’s \(random.pick(nouns))"
        case 6: random.pick(places)
        case 7: "\(random.pick(numbers)) \(random.pick(plurals))"
        case 8: "\(random.pick(gerunds)) \(random.pick(random.chance(0.3) ? places : plurals))"
        case 9: "\(random.pick(nouns)) & \(random.pick(materials))"
        case 10: "The \(random.pick(professions)) of \(random.pick(places))"
        case 11: "\(random.pick(prepositions)) the \(random.pick(nouns))"
        case 12: "\(random.pick(names)) and the \(random.pick(plurals))"
        default: "A \(random.pick(measures)) of \(random.pick(plurals))"
        }
    }

    static let adjectives = Words.list("titles.adjectives")
    static let nouns = Words.list("titles.nouns")
    static let plurals = Words.list("titles.plurals")
    static let materials = Words.list("titles.materials")
    static let names = Words.list("titles.names")
    static let places = Words.list("titles.places")
    static let numbers = Words.list("titles.numbers")
    static let gerunds = Words.list("titles.gerunds")
    static let professions = Words.list("titles.professions")
    static let prepositions = Words.list("titles.prepositions")
    static let measures = Words.list("titles.measures")
}
