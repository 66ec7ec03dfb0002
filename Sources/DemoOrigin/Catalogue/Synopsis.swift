/// Summaries in the catalogue's HTML: two or three sentences in one or two paragraphs.
enum Synopsis {
    static func html(title: String, genres: [String], _ random: inout SeededRandom) -> String {
        let title = escaped(title)
        let place = escaped(random.pick(TitleWriter.places))
        let name = random.pick(TitleWriter.names)
        let profession = random.pick(TitleWriter.professions).lowercased()
        let trait = random.pick(traits)
        let event = random.pick(events)
        var text =
            switch random.integer(in: 0...2) {
            case 0:
                """
                <p><b>\(title)</b> follows \(name), \(trait) \(profession) in \(place) who \
                \(event).
                """
            case 1:
                """
                <p>When \(trait) \(profession) \(event), the whole of \(place) takes sides. \
                <b>\(title)</b> is the story of the year that follows.
                """
            default:
                """
                <p>In <b>\(title)</b>, \(name) returns to \(place) after twenty years and \
                \(event).
                """
            }
        text += " \(random.pick(turns(for: genres.first)))"
        if random.chance(0.45) {
            text += "</p><p>\(random.pick(closings))"
        }
        return text + "</p>"
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
    }

    private static let traits = [
        "a retired", "a stubborn", "a gifted but forgetful", "a newly arrived", "a disgraced",
        "an unlucky", "a soft-spoken", "a much too honest",
    ]
    private static let events = [
        "inherits a house with one door too many",
        "finds a letter that won't be written for another thirty years",
        "agrees to hide a stranger for a single night",
        "stops the town clock and can't start it again",
        "is asked to draw a map of a place nobody has left",
        "discovers that the river runs backwards on Thursdays",
        "takes the blame for a fire that has not happened yet",
        "wins a lighthouse in a game of cards",
        "hears the same song from every radio in town",
        "receives the diary of a person still missing",
    ]
    private static let closings = [
        "Shot on location over four winters.", "A series about what people owe each other.",
        "Nobody here is quite who they say they are &mdash; not even the narrator.",
        "Six episodes, one summer, no easy answers.",
        "Based on the letters found in an old ferry terminal.",
        "With music recorded in the caf&eacute; where it plays.",
    ]

    private static func turns(for genre: String?) -> [String] {
        switch genre {
        case "Crime", "Thriller", "Mystery", "Horror":
            [
                "Then the first body is found, and it is wearing the mayor's coat.",
                "Everybody saw it happen; nobody agrees on what it was.",
                "The only witness is eleven years old &amp; refuses to speak.",
            ]
        case "Comedy", "Family", "Romance":
            [
                "It would all be easier if the two of them were on speaking terms.",
                "There is a goat, a wedding and exactly one working car.",
                "Love, it turns out, is mostly a matter of timetables.",
            ]
        case "Science-Fiction", "Fantasy", "Adventure":
            [
                "Far above, something old has begun to answer.",
                "The maps end here, and so do the rules.",
                "Every jump costs a memory, and they are running out of good ones.",
            ]
        default:
            [
                "What begins as a favour becomes a reckoning.",
                "Old debts come due, one household at a time.",
                "The past, however, has kept very good records.",
            ]
        }
    }
}
