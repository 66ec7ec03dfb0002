import Fetch
import JSON

/// A picture's place on the museum's image server (IIIF Image API 3).
struct ImageService: Sendable, Equatable {
    static let host = HostPattern("iiif.micr.io")

    /// `https://iiif.micr.io/PJEZO`
    let url: String

    /// Reads a picture's URL, `https://iiif.micr.io/PJEZO/full/max/0/default.jpg`. Returns `nil` if
    /// it has other segments or another host.
    init?(accessPoint: String) {
        guard let checked = CheckedURL(accessPoint, hosts: [Self.host]) else {
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
    ///
    /// - Parameter most: the largest picture that the server returns; nil if it is not known.
    func candidate(_ most: PictureBox?) -> ScalableCandidate {
        ScalableCandidate(
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

    /// Returns the largest picture that the server returns in one response, in the picture's aspect ratio, as the
    /// document at ``infoURL`` says. Returns nil if that has no size.
    static func most(_ info: JSON) -> PictureBox? {
        guard let width = info["width"].pixels, let height = info["height"].pixels else {
            return nil
        }
        let (wide, high) = (Double(width), Double(height))
        let maxWidth = info["maxWidth"].pixels
        // Image API 3, section 5.3: without maxHeight, maxWidth also limits the height.
        let maxHeight = info["maxHeight"].pixels ?? maxWidth
        let maxArea = info["maxArea"].integer(in: 1...Bounds.count.upperBound)
        let scale = min(
            1, maxWidth.map { Double($0) / wide } ?? 1, maxHeight.map { Double($0) / high } ?? 1,
            maxArea.map { (Double($0) / (wide * high)).squareRoot() } ?? 1)
        return PictureBox(
            width: max(1, Int((wide * scale).rounded(.down))),
            height: max(1, Int((high * scale).rounded(.down))))
    }
}
