/// What an object shows, with its rights, and the pictures of it.
struct VisualItem: Decodable {
    /// DigitalObjects; none where there is no picture.
    let pictures: [MuseumLink]
    /// Which rights hold, as a URL or a short text.
    let rights: String?

    private enum Key: String, CodingKey {
        case pictures = "digitally_shown_by"
        case rights = "subject_to"
    }

    /// One right: `subject_of`, which looks like it, is about the record, not about the picture.
    private struct Right: Decodable {
        let text: String?

        private enum Key: String, CodingKey {
            case names = "identified_by"
            case classes = "classified_as"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            let names = fields.all(MuseumText.self, .names).filter { $0.content != nil }
            let url = fields.ids(.classes).lazy
                .compactMap { CheckedURL($0, hosts: Rijksmuseum.rightsHosts)?.text }.first
            text =
                url
                ?? names.first { $0.language == .english }?.content
                ?? names.first?.content
        }
    }

    init(from decoder: any Decoder) throws {
        _ = try LinkedArtHeader(from: decoder)
        let fields = try decoder.container(keyedBy: Key.self)
        pictures = fields.ids(.pictures).compactMap { MuseumLink($0) }
        rights = fields.all(Right.self, .rights).compactMap(\.text).first
    }
}
