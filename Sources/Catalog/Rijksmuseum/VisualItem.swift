/// The visual content of an object: its rights and its pictures.
struct VisualItem: Decodable {
    /// Links to DigitalObjects; empty if the object has no picture.
    let pictures: [MuseumLink]
    /// The rights in the pictures, as a URL or a short text.
    let rights: String?

    private enum Key: String, CodingKey {
        case pictures = "digitally_shown_by"
        case rights = "subject_to"
    }

    /// One right. The similar `subject_of` concerns the record and not the picture.
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
                .compactMap { CheckedURL($0, hosts: MuseumHosts.rights)?.text }.first
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
