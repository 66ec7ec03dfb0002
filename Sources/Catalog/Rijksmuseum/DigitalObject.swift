/// One picture of an object, and where its image service is.
struct DigitalObject: Decodable {
    /// In their order; the first is used.
    let services: [ImageService]
    /// Whether the museum gives the picture away. The image server gives them all, so it is up to
    /// those who ask.
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
