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

    private static let traits = Words.list("synopsis.traits")
    private static let events = Words.list("synopsis.events")
    private static let closings = Words.list("synopsis.closings")

    private static func turns(for genre: String?) -> [String] {
        let kind =
            switch genre {
            case "Crime", "Thriller", "Mystery", "Horror": "dark"
            case "Comedy", "Family", "Romance": "light"
            case "Science-Fiction", "Fantasy", "Adventure": "far"
            default: "other"
            }
        return Words.list("synopsis.turns.\(kind)")
    }
}
