import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store

/// The largest picture of an item, which its pyramid is made from.
struct LargestOriginal: Sendable {
    let pictures: Pictures
    /// Pixels that an original may have.
    let maxPixels: Int

    /// Returns the size of the item's largest picture; nil if only fetching it shows that.
    ///
    /// - Parameter original: of the largest level.
    func size(of item: Item, _ original: Digest) async throws -> ZoomSize? {
        guard let largest = pictures.configuration.levels.last, let own = try await size(original)
        else { return nil }
        let shown = try await pictures.thumbnails.resolution(of: item, largest)
        guard let best = try await best(item) else { return own }
        if best.url == shown?.url { return own }
        guard let width = best.width, let height = best.height else { return nil }
        return width > own.width && height > own.height
            ? ZoomSize(width: width, height: height) : own
    }

    /// Returns the size of an original at the largest level.
    func shownSize(_ original: Digest) async throws -> ZoomSize? {
        guard let largest = pictures.configuration.levels.last else { return nil }
        return try await size(original)?.fitting(largest)
    }

    private func size(_ original: Digest) async throws -> ZoomSize? {
        try await pictures.thumbnails.index.summary(of: original).map {
            ZoomSize(width: $0.width, height: $0.height)
        }
    }

    /// Returns the candidate that the pyramid is made from; nil if the catalog can't be asked.
    private func best(_ item: Item) async throws -> Candidate? {
        guard let details = try await details(item) else { return nil }
        let chain = details.orderedChain(for: .pyramid(of: details, maxPixels: maxPixels))
        for case .candidate(let candidate) in chain.prefix(1) { return candidate }
        return nil
    }

    /// Returns what the catalog says of an item; nil if the catalog can't be asked.
    func details(_ item: Item) async throws -> ItemDetails? {
        let source = try pictures.context.sources.source(of: item)
        do {
            return try await pictures.context.catalog.details(of: item, source: source).document
                .value
        } catch let failure as Failure where failure.ofPicture != nil {
            return nil
        }
    }
}

extension PictureBox {
    /// The box that leads to the largest picture that may be decoded.
    ///
    /// - Parameter details: nil if the catalog can't be asked.
    static func pyramid(of details: ItemDetails?, maxPixels: Int) -> PictureBox {
        for case .scalable(let scalable) in details?.chain ?? [] {
            guard let width = scalable.maxWidth, let height = scalable.maxHeight, width > 0,
                height > 0
            else { continue }
            // Halves, so that all layers of the server's own pyramid stay whole.
            var (w, h) = (width, height)
            while Double(w) * Double(h) > Double(maxPixels) { (w, h) = ((w + 1) / 2, (h + 1) / 2) }
            return PictureBox(width: w, height: h)
        }
        let level = Rendition.pyramid.level
        return PictureBox(width: level.width, height: level.height)
    }
}
