/// A level and format to render.
package struct Rendition: Sendable, Hashable {
    package var level: Level
    package var format: ThumbnailFormat

    package init(level: Level, format: ThumbnailFormat) {
        self.level = level
        self.format = format
    }
}

/// An output format.
package enum ThumbnailFormat: String, Sendable, CaseIterable, Codable {
    case webp, jpeg, avif, png

    /// Rendered by default; AVIF and PNG are rendered on request only.
    package static let standard: [ThumbnailFormat] = [.webp, .jpeg]

    package var contentType: String { "image/\(rawValue)" }

    /// `webp`, `jpg`, `avif`, `png`.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// Whether planes are encoded as it without libvips.
    var takesPlanes: Bool {
        switch self {
        case .jpeg, .webp: true
        case .avif, .png: false
        }
    }
}

/// An encoded rendition.
package struct Thumbnail: Sendable {
    package var rendition: Rendition
    package var width: Int
    package var height: Int
    package var bytes: [UInt8]
    /// The lane that made it.
    package var lane = Lane.libvips
}
