/// One picture of an object, with its image services.
struct DigitalObject: Decodable {
    /// In the record's order; the first is used.
    let services: [ImageService]
    /// Whether the museum offers the picture for download. The image server returns every picture,
    /// so its clients must check.
    let isOffered: Bool

    private enum Key: String, CodingKey {
        case services = "access_point"
        case remarks = "referred_to_by"
    }

    init(from decoder: any Decoder) throws {
        _ = try LinkedArtHeader(from: decoder)
        let fields = try decoder.container(keyedBy: Key.self)
        services = fields.ids(.services).compactMap(ImageService.init(accessPoint:))
        isOffered = !fields.all(MuseumText.self, .remarks).contains { remark in
            ["niet downloadbaar", "niet zichtbaar"].contains(remark.content?.lowercased())
        }
    }
}
