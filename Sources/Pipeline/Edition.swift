import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store

/// What a reload of the settings replaces, as one value.
package final class Edition: Sendable {
    /// Of this process, from 0.
    let number: Int
    package let configuration: PipelineConfiguration
    package let sources: Sources
    let renderer: Renderer
    /// The placeholders for missing pictures. Each rendition is rendered once and then kept.
    private let drawn = MemoryTier<Rendition, Picture>(maxCost: 1_024, maxCount: 1_024)
    private let inFlight = InFlight<Rendition, Void, Result<Picture, any Error>> { _, _ in true }

    init(
        _ number: Int, _ configuration: PipelineConfiguration, _ sources: Sources,
        _ renderer: Renderer
    ) {
        self.number = number
        self.configuration = configuration
        self.sources = sources
        self.renderer = renderer
    }

    /// Returns the thumbnails of all levels in these formats.
    func renditions(in formats: [ThumbnailFormat]) -> [Rendition] {
        configuration.levels.flatMap { level in
            formats.map { Rendition(level: level, format: $0) }
        }
    }

    // MARK: - Placeholders

    /// Returns the placeholder, without bytes if it can't be rendered now.
    func placeholder(_ rendition: Rendition, _ failure: Failure) async throws -> Picture {
        var picture = try await draw(rendition) ?? Self.placeholder(rendition, Self.nothing, [])
        picture.facts.renderedAt = failure.until
        picture.freshUntil = failure.until
        picture.failure = failure
        return picture
    }

    private static let nothing = PictureFacts(
        digest: Digest(of: []), byteCount: 0, width: 0, height: 0, renderedAt: .distantPast)

    private static func placeholder(
        _ rendition: Rendition, _ facts: PictureFacts, _ bytes: [UInt8]
    ) -> Picture {
        Picture(
            facts: facts, bytes: bytes, format: rendition.format, freshUntil: .distantPast,
            isPlaceholder: true)
    }

    private func draw(_ rendition: Rendition) async throws -> Picture? {
        if let known = drawn.value(rendition) { return known }
        do {
            let (made, _) = try await inFlight.made(for: rendition) { [renderer] in
                let thumbnail = try await renderer.placeholder(rendition)
                let facts = PictureFacts(thumbnail, renderedAt: .distantPast)
                return Self.placeholder(rendition, facts, thumbnail.bytes)
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
