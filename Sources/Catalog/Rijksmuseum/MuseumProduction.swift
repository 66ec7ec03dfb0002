/// The makers of an object, and its date.
struct MuseumProduction: Decodable {
    private let parts: [Part]
    private let remarks: [MuseumText]
    private let timespan: Timespan?
    /// Those of parts are the makers' roles.
    private let techniques: [MuseumTerm]

    private enum Key: String, CodingKey {
        case part, timespan, technique
        case remarks = "referred_to_by"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        // The museum describes each maker in a part. Linked Art allows a maker of the whole, too.
        parts =
            fields.all(Part.self, .part).ordered(by: \.place) + [try Part(from: decoder)]
        remarks = fields.all(MuseumText.self, .remarks)
        techniques = fields.all(MuseumTerm.self, .technique)
        timespan = fields.all(Timespan.self, .timespan).first
    }

    /// ISO 8601 date, or only a year.
    var date: String? { timespan?.date }

    func technique(in language: MuseumLanguage) -> String? {
        MuseumTerm.names(techniques, in: language)
    }

    /// Returns the first maker. A publisher may follow.
    func maker(in language: MuseumLanguage) -> String? {
        parts.lazy.compactMap { part in
            part.maker(in: language) ?? part.maker(in: language.other) ?? part.anyMaker
        }.first
            ?? remarks.first(.makers, in: language) ?? remarks.first(.makers, in: language.other)
    }

    /// One maker's share.
    private struct Part: Decodable {
        /// Position in the museum's own order.
        let place: Int?
        private let labels: [LinkedArtLabel]
        private let remarks: [MuseumText]

        private enum Key: String, CodingKey {
            case makers = "carried_out_by"
            case attributions = "assigned_by"
            case remarks = "referred_to_by"
        }

        private struct Maker: Decodable {
            let labels: [LinkedArtLabel]

            private enum Key: String, CodingKey { case notation }

            init(from decoder: any Decoder) throws {
                labels = try decoder.container(keyedBy: Key.self)
                    .all(LinkedArtLabel.self, .notation).filter { !$0.text.isEmpty }
            }
        }

        private struct Attribution: Decodable {
            let makers: [Maker]

            private enum Key: String, CodingKey {
                case assigned
                case property = "assigned_property"
            }

            init(from decoder: any Decoder) throws {
                let fields = try decoder.container(keyedBy: Key.self)
                let isOfMaker = fields.text(.property) == "carried_out_by"
                makers = isOfMaker ? fields.all(Maker.self, .assigned) : []
            }
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            place = try MuseumText(from: decoder).place
            let makers =
                fields.all(Maker.self, .makers)
                + fields.all(Attribution.self, .attributions).flatMap(\.makers)
            labels = makers.flatMap(\.labels)
            remarks = fields.all(MuseumText.self, .remarks)
        }

        func maker(in language: MuseumLanguage) -> String? {
            labels.first { $0.language == language }?.text
                ?? remarks.first(.maker, in: language)
        }

        /// A name whose language is not known.
        var anyMaker: String? { labels.first?.text }
    }
}

/// The time in which an object was made.
private struct Timespan: Decodable {
    let date: String?

    private enum Key: String, CodingKey {
        case begin = "begin_of_the_begin"
        case end = "end_of_the_end"
        case names = "identified_by"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let begin = fields.text(.begin).flatMap(Self.day)
        let end = fields.text(.end).flatMap(Self.day)
        let name = fields.all(MuseumText.self, .names).compactMap(\.content)
            .first { PartialDate($0) != nil }
        date = Self.date(from: begin, to: end) ?? name
    }

    /// Returns `1639-01-01` for `1639-01-01T00:00:00Z`; `nil` for a year BC, which is not an ISO
    /// 8601 day.
    private static func day(_ text: String) -> String? {
        let day = String(text.prefix { $0 != "T" })
        return PartialDate(day) == nil ? nil : day
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
