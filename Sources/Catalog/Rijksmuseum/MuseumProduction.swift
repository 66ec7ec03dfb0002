import JSON

/// The makers of an object, and its date.
struct MuseumProduction {
    private let node: JSON
    /// The makers' shares. The museum describes each maker in a part. Linked Art allows a maker of the whole, too.
    private let parts: [JSON]

    init(_ node: JSON) {
        self.node = node
        parts = node["part"].nodes.ordered(by: \.place) + [node]
    }

    /// Those of parts are the makers' roles.
    func technique(in language: MuseumLanguage) -> String? {
        node["technique"].nodes.names(in: language)
    }

    /// Returns the first maker. A publisher may follow.
    func maker(in language: MuseumLanguage) -> String? {
        let maker = parts.lazy.compactMap { part -> String? in
            let labels = Self.makers(of: part).flatMap { $0["notation"].labels }
            let remarks = part["referred_to_by"].nodes
            func name(_ language: MuseumLanguage) -> String? {
                labels.first { $0.language == language }?.text
                    ?? remarks.first(.maker, in: language)
            }
            // Last comes a name whose language is not known.
            return name(language) ?? name(language.other) ?? labels.first?.text
        }.first
        return maker ?? node["referred_to_by"].nodes.best(.makers, in: language)
    }

    private static func makers(of part: JSON) -> [JSON] {
        let attributions = part["assigned_by"].nodes.filter {
            $0["assigned_property"].firstText == "carried_out_by"
        }
        return part["carried_out_by"].nodes + attributions.flatMap { $0["assigned"].nodes }
    }

    /// The time in which the object was made: an ISO 8601 date, or only a year.
    var date: String? {
        guard let time = node["timespan"].nodes.first else { return nil }
        let begin = time["begin_of_the_begin"].firstText.flatMap(Self.day)
        let end = time["end_of_the_end"].firstText.flatMap(Self.day)
        return Self.date(from: begin, to: end)
            ?? time["identified_by"].nodes.lazy.compactMap { $0.content?.partialDate }.first
    }

    /// Returns `1639-01-01` for `1639-01-01T00:00:00Z`; `nil` for a year BC, which is not an ISO
    /// 8601 day.
    private static func day(_ text: String) -> String? {
        String(text.prefix { $0 != "T" }).partialDate
    }

    /// Returns the date as precisely as both ends agree; for a longer time, the year it began in.
    private static func date(from begin: String?, to end: String?) -> String? {
        guard let begin else { return end.map { String($0.prefix(4)) } }
        guard let end, begin != end else { return begin }
        guard let month = PartialDate(String(begin.prefix(7))), begin.prefix(7) == end.prefix(7),
            month.first == PartialDate(begin)?.first, month.last == PartialDate(end)?.last
        else { return String(begin.prefix(4)) }
        return String(begin.prefix(7))
    }
}
