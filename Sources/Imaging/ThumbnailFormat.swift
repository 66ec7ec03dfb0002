/// What thumbnails are encoded as.
package enum ThumbnailFormat: String, Sendable, CaseIterable, Codable {
    case webp, jpeg

    package var contentType: String { "image/\(rawValue)" }

    /// `webp`, `jpg`.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
}
