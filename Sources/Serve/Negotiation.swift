import Catalog
import Imaging

/// Content negotiation by `Accept` (RFC 9110, section 12.5.1). Pure.
struct Negotiation: Sendable, Equatable {
    private var ranges: [(type: String, quality: Double)] = []

    /// Parses `Accept`. A missing field accepts everything.
    init(accept: String?) {
        guard let accept else {
            ranges = [("*/*", 1)]
            return
        }
        // A malformed q-value counts as 0.
        ranges = WeightedNames.parse(accept).map { ($0.name, $0.quality ?? 0) }
    }

    static func == (left: Negotiation, right: Negotiation) -> Bool {
        left.ranges.elementsEqual(right.ranges) { $0 == $1 }
    }

    /// The best format that is made for any client: by quality first, then WebP before JPEG.
    ///
    /// A client that accepts no image gets JPEG, because every response is a picture.
    var format: ThumbnailFormat {
        let offered: [ThumbnailFormat] = [.webp, .jpeg]
        var best: (format: ThumbnailFormat, quality: Double)?
        for format in offered {
            let quality = quality(of: format.contentType)
            if quality > 0, quality > best?.quality ?? 0 { best = (format, quality) }
        }
        return best?.format ?? .jpeg
    }

    /// Whether AVIF is sent if it is stored: the client names it, and likes it no less than the best
    /// other format. Clients that accept every image may not know AVIF.
    var prefersAVIF: Bool {
        let type = ThumbnailFormat.avif.contentType
        guard let named = ranges.first(where: { $0.type == type }), named.quality > 0 else {
            return false
        }
        return named.quality >= quality(of: format.contentType)
    }

    /// Whether the client accepts any image.
    var acceptsImages: Bool {
        ranges.contains { $0.quality > 0 && $0.type.hasPrefix("image/") }
            || quality(of: "image/") > 0
    }

    /// Returns the quality of the most specific matching range.
    private func quality(of type: String) -> Double {
        for wanted in [type, "image/*", "*/*"] {
            if let range = ranges.first(where: { $0.type == wanted }) { return range.quality }
        }
        return 0
    }
}
