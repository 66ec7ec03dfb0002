import Catalog
import Imaging
import Memory
import Store

/// The placeholders for missing pictures. Each rendition is drawn once and then kept.
struct Placeholders: Sendable {
    private struct Drawn: Sendable {
        var thumbnail: Thumbnail
        var digest: Digest
    }

    private let renderer: Renderer
    private let drawn = MemoryTier<Rendition, Drawn>(maxCost: 1_024, maxCount: 1_024)
    private let inFlight = InFlight<Rendition, Void, Result<Drawn, ImagingError>> { _, _ in true }

    init(_ renderer: Renderer) {
        self.renderer = renderer
    }

    func picture(_ rendition: Rendition, _ failure: Failure) async throws -> Picture {
        let drawn = try await draw(rendition)
        return Picture(
            digest: drawn.digest, bytes: drawn.thumbnail.bytes, format: rendition.format,
            width: drawn.thumbnail.width, height: drawn.thumbnail.height,
            renderedAt: failure.until, freshUntil: failure.until, failure: failure,
            isPlaceholder: true)
    }

    private func draw(_ rendition: Rendition) async throws -> Drawn {
        if let known = drawn.value(rendition) { return known }
        let landing = await inFlight.value(for: rendition, ()) { [renderer] _ in
            do throws(ImagingError) {
                let thumbnail = try await renderer.placeholder(rendition)
                return .success(Drawn(thumbnail: thumbnail, digest: Digest(of: thumbnail.bytes)))
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        let value = try landing.value.get()
        drawn.insert(value, for: rendition, cost: 1)
        return value
    }
}
