import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store

/// The placeholders for missing pictures. Each rendition is rendered once and then kept.
struct Placeholders: Sendable {
    private struct Drawn: Sendable {
        var bytes: [UInt8] = []
        var facts: PictureFacts
    }

    private let renderer: Renderer
    private let drawn = MemoryTier<Rendition, Drawn>(maxCost: 1_024, maxCount: 1_024)
    private let inFlight = InFlight<Rendition, Void, Result<Drawn, any Error>> { _, _ in true }

    init(_ renderer: Renderer) {
        self.renderer = renderer
    }

    /// Returns the placeholder, without bytes if it can't be rendered now.
    func picture(_ rendition: Rendition, _ failure: Failure) async throws -> Picture {
        var drawn = try await draw(rendition) ?? Drawn(facts: Self.nothing)
        drawn.facts.renderedAt = failure.until
        return Picture(
            facts: drawn.facts, bytes: drawn.bytes, format: rendition.format,
            freshUntil: failure.until, failure: failure, isPlaceholder: true)
    }

    private static let nothing = PictureFacts(
        digest: Digest(of: []), byteCount: 0, width: 0, height: 0, renderedAt: .distantPast)

    private func draw(_ rendition: Rendition) async throws -> Drawn? {
        if let known = drawn.value(rendition) { return known }
        do {
            let (made, _) = try await inFlight.made(for: rendition) { [renderer] in
                let thumbnail = try await renderer.placeholder(rendition)
                return Drawn(
                    bytes: thumbnail.bytes,
                    facts: PictureFacts(thumbnail, renderedAt: .distantPast))
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
