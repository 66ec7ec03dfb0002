import Catalog
import Hashing
import Imaging
import Memory
import Store

/// The placeholders for missing pictures. Each rendition is rendered once and then kept.
struct Placeholders: Sendable {
    private struct Drawn: Sendable {
        var thumbnail: Thumbnail
        var digest: Digest
    }

    private let renderer: Renderer
    private let drawn = MemoryTier<Rendition, Drawn>(maxCost: 1_024, maxCount: 1_024)
    private let inFlight = InFlight<Rendition, Void, Result<Drawn, any Error>> { _, _ in true }

    init(_ renderer: Renderer) {
        self.renderer = renderer
    }

    /// Returns the placeholder, without bytes if it can't be rendered now.
    func picture(_ rendition: Rendition, _ failure: Failure) async throws -> Picture {
        var picture = Picture(
            digest: Digest(of: []), bytes: [], format: rendition.format, width: 0, height: 0,
            renderedAt: failure.until, freshUntil: failure.until, failure: failure,
            isPlaceholder: true)
        if let drawn = try await draw(rendition) {
            picture.digest = drawn.digest
            picture.bytes = drawn.thumbnail.bytes
            (picture.width, picture.height) = (drawn.thumbnail.width, drawn.thumbnail.height)
        }
        return picture
    }

    private func draw(_ rendition: Rendition) async throws -> Drawn? {
        if let known = drawn.value(rendition) { return known }
        do {
            let (made, _) = try await inFlight.made(for: rendition) { [renderer] in
                let thumbnail = try await renderer.placeholder(rendition)
                return Drawn(thumbnail: thumbnail, digest: Digest(of: thumbnail.bytes))
            }
            drawn.insert(made, for: rendition, cost: 1)
            return made
        } catch let error as ImagingError {
            switch error {
            case .canceled, .stopped: throw error
            default: return nil
            }
        }
    }
}
