/// A picture's place on the museum's image server (IIIF Image API 3).
struct ImageService: Sendable, Equatable {
    /// `https://iiif.micr.io/PJEZO`
    let url: String

    /// Reads a picture's URL, `https://iiif.micr.io/PJEZO/full/max/0/default.jpg`. Returns `nil` if
    /// it has other segments or another host.
    init?(accessPoint: String) {
        guard let checked = CheckedURL(accessPoint, hosts: [MuseumHosts.images]) else {
            return nil
        }
        let begin = "https://\(checked.host)/"
        let segments = checked.text.dropFirst(begin.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 5, checked.text.hasPrefix(begin), Self.isName(segments[0]),
            segments[1] == "full", Self.isSize(segments[2]), segments[3] == "0",
            ["default.jpg", "default.png", "default.webp"].contains(segments[4])
        else { return nil }
        url = begin + segments[0]
    }

    /// The URL of the document that contains the picture's size.
    var infoURL: String { "\(url)/info.json" }

    /// Returns the picture in any size, fitted into a box. `max` is never used, because it may be
    /// 178 megapixels.
    func candidate(_ info: ImageServiceInfo?) -> ScalableCandidate {
        let most = info?.most
        return ScalableCandidate(
            template: "\(url)/full/!{width},{height}/0/default.jpg",
            label: most == nil ? "IIIF, size not known," : "IIIF", rank: 0, maxWidth: most?.width,
            maxHeight: most?.height)
    }

    private static func isName(_ segment: Substring) -> Bool {
        !segment.isEmpty
            && segment.utf8.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return scalar.properties.isAlphabetic && scalar.isASCII
                    || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    private static func isSize(_ segment: Substring) -> Bool {
        !segment.isEmpty && !segment.contains { "?#%".contains($0) }
    }
}

/// A picture's size and the image server's limits.
struct ImageServiceInfo: Decodable {
    private let width: Int
    private let height: Int
    private let maxWidth: Int?
    private let maxHeight: Int?
    private let maxArea: Int?

    private enum Key: String, CodingKey { case width, height, maxWidth, maxHeight, maxArea }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        guard let width = fields.pixels(.width), let height = fields.pixels(.height) else {
            throw DecodingError.valueNotFound(
                Int.self, .init(codingPath: fields.codingPath, debugDescription: "no size"))
        }
        self.width = width
        self.height = height
        maxWidth = fields.pixels(.maxWidth)
        // Image API 3, section 5.3: without maxHeight, maxWidth also limits the height.
        maxHeight = fields.pixels(.maxHeight) ?? maxWidth
        maxArea = fields.count(.maxArea).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The largest picture that the server returns in one response, in the picture's aspect ratio.
    var most: PictureBox {
        let (width, height) = (Double(width), Double(height))
        let scale = min(
            1, maxWidth.map { Double($0) / width } ?? 1, maxHeight.map { Double($0) / height } ?? 1,
            maxArea.map { (Double($0) / (width * height)).squareRoot() } ?? 1)
        return PictureBox(
            width: max(1, Int((width * scale).rounded(.down))),
            height: max(1, Int((height * scale).rounded(.down))))
    }
}
