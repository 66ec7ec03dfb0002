/// What thumbnails are encoded as.
package enum ThumbnailFormat: String, Sendable, CaseIterable, Codable {
    case webp, jpeg, avif, png

    /// What is rendered where nobody says which: AVIF and PNG are made only when they are asked for.
    package static let standard: [ThumbnailFormat] = [.webp, .jpeg]

    package var contentType: String { "image/\(rawValue)" }

    /// `webp`, `jpg`, `avif`, `png`.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
}
