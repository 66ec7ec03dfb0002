package import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store

/// Parts of pictures in any size, from pyramids of tiles that are made once per original.
///
/// ``Pyramids`` makes the pyramid when a client looks closer than the largest level shows.
/// ``Cuts`` makes other parts than tiles.
package final class Zoom: Sendable {
    /// Seconds that clients keep what a pyramid may change: ``ZoomFacts/isExpected`` and
    /// ``ZoomAnswer/isPreview``.
    package static let previewAge = 60
    /// Pixels of a picture whose pyramid takes so little time that the client waits for it.
    private static let quickPixels = 4_000_000

    private let pictures: Pictures
    private let pyramids: Pyramids
    private let cuts: Cuts
    /// Pixels that a part may have.
    package let maxPixels: Int
    /// Pixels that an original may have.
    private let maxOriginalPixels: Int

    private var now: @Sendable () -> Date { pictures.now }

    /// - Parameter cutBytes: memory for parts that were cut.
    init(_ pictures: Pictures, renderer: Renderer, cutBytes: Int) {
        let policy = pictures.configuration.zoom
        self.pictures = pictures
        maxOriginalPixels = renderer.maxPixels
        pyramids = Pyramids(pictures)
        cuts = Cuts(
            policy, pictures.context.editions, threads: renderer.load.threads, bytes: cutBytes)
        maxPixels = min(policy.maxPixels, renderer.maxCutPixels)
    }

    /// Closes the files of pyramids that were purged.
    func closePurged() { pyramids.closePurged() }

    /// Returns the size of an item's picture at its largest, and until when that is known. For a picture
    /// whose pyramid can't be made it is the size of the largest level.
    ///
    /// - Throws: ``Failure`` of the kinds of a picture if the item has none, of a catalog, and of this
    ///   service.
    package func facts(of item: Item) async throws(Failure) -> ZoomFacts {
        try await Failure.catching { [self] in
            let item = try await pictures.shownPictured(item)
            if let pyramid = try await pyramids.stored(item) {
                return ZoomFacts(size: pyramid.size, freshUntil: pyramid.freshUntil)
            }
            let original = try await pictures.original(of: item) { _, _ in false }
            if let failure = try await pyramids.failure(of: item), failure.kind == .rejected {
                return try await facts(of: item, original, instead: failure)
            }
            if let known = try await size(of: item, original.digest) {
                return ZoomFacts(size: known, freshUntil: original.freshUntil, isExpected: true)
            }
            do {
                let (pyramid, _) = try await pyramids.made(item)
                return ZoomFacts(size: pyramid.size, freshUntil: pyramid.freshUntil)
            } catch let failure as Failure where failure.kind == .rejected {
                return try await facts(of: item, original, instead: failure)
            }
        }
    }

    /// Returns the size of the largest level of a picture whose pyramid can't be made. The level is made
    /// if nothing was made from the picture before.
    private func facts(
        of item: Item, _ original: OriginalAnswer, instead failure: Failure
    ) async throws -> ZoomFacts {
        let freshUntil = min(original.freshUntil, failure.until)
        if let shown = try await shownSize(original.digest) {
            return ZoomFacts(size: shown, freshUntil: freshUntil)
        }
        guard let level = pictures.configuration.levels.last else { throw failure }
        let picture = try await pictures.picture(of: item, level: level, format: .jpeg).picture
        guard !picture.isPlaceholder else { throw failure }
        return ZoomFacts(
            size: ZoomSize(width: picture.facts.width, height: picture.facts.height),
            freshUntil: freshUntil)
    }

    /// Returns a part of an item's picture.
    ///
    /// - Parameters:
    ///   - request: within the size of ``facts(of:)``.
    ///   - isKnown: Returns whether the client has the response with that entity tag. Then nothing is
    ///     made.
    /// - Throws: as ``facts(of:)``; `overloaded` if too many parts wait, `tooMany` if the picture's budget
    ///   is used up, `invalid` if the part needs more memory than renders may take.
    package func part(
        of item: Item, _ request: ZoomRequest, _ size: ZoomSize,
        isKnown: @Sendable (String) -> Bool = { _ in false }
    ) async throws(Failure) -> ZoomAnswer {
        try await Failure.catching { [self] in
            let item = try await pictures.shownPictured(item)
            if let level = try await level(item, request, size) { return level }
            if let pyramid = try await pyramids.stored(item) {
                return try await part(of: item, request, pyramid, .hit, isKnown)
            }
            let failure = try await pyramids.failure(of: item)
            if let preview = try await preview(
                item, request, size, isKnown, isAll: failure?.kind == .rejected)
            {
                return preview
            }
            if let failure { throw failure }
            let made: (pyramid: OpenPyramid, outcome: CacheOutcome)
            do {
                made = try await pyramids.made(item)
            } catch let failure as Failure where failure.kind == .rejected {
                guard
                    let preview = try await preview(item, request, size, isKnown, isAll: true)
                else { throw failure }
                return preview
            }
            return try await part(of: item, request, made.pyramid, made.outcome, isKnown)
        }
    }

    /// Returns the URL of the license or rights statement of an item, if its source names one. No source
    /// is asked if its details are stored.
    package func rights(of item: Item) async throws(Failure) -> String? {
        try await Failure.catching { [self] in
            guard let rights = try await details(item)?.entry.rights,
                rights.hasPrefix("http://") || rights.hasPrefix("https://")
            else { return nil }
            return rights
        }
    }

    /// Returns the thumbnail of a level if it is what is wanted.
    private func level(
        _ item: Item, _ request: ZoomRequest, _ size: ZoomSize
    ) async throws -> ZoomAnswer? {
        guard request.isPlain, request.isWhole(of: size) else { return nil }
        let wanted = ZoomSize(width: request.outWidth, height: request.outHeight)
        guard
            let level = pictures.configuration.levels.first(where: { size.fitting($0) == wanted })
        else { return nil }
        let made = try await pictures.picture(of: item, level: level, format: request.format)
        let picture = made.picture
        // A level may show another original, with a slightly different shape.
        guard !picture.isPlaceholder, picture.facts.width == wanted.width,
            picture.facts.height == wanted.height
        else { return nil }
        return ZoomAnswer(
            content: .bytes(picture.bytes), tag: picture.facts.digest.hex,
            renderedAt: picture.facts.renderedAt, freshUntil: picture.freshUntil,
            isPrivate: picture.isPrivate, outcome: made.outcome)
    }

    private func part(
        of item: Item, _ request: ZoomRequest, _ pyramid: OpenPyramid, _ outcome: CacheOutcome,
        _ isKnown: (String) -> Bool
    ) async throws -> ZoomAnswer {
        let outcome = outcome == .hit && pyramid.freshUntil <= now() ? .stale : outcome
        func answer(_ content: ZoomAnswer.Content, _ tag: String) -> ZoomAnswer {
            ZoomAnswer(
                content: content, tag: tag, renderedAt: pyramid.renderedAt,
                freshUntil: pyramid.freshUntil, isPrivate: pyramid.isPrivate, outcome: outcome)
        }
        if let number = request.tile(of: pyramid.table) {
            let tag = "\(pyramid.blob.digest.hex)-\(number)"
            if isKnown(tag) { return answer(.known, tag) }
            return answer(.part(pyramid.blob, pyramid.table.ranges[number]), tag)
        }
        // The picture may have another size than its source said, or have been replaced.
        let request = try request.inside(pyramid.size)
        let key = cuts.key(pyramid.blob.digest, request)
        let tag = cuts.tag(key)
        if isKnown(tag) { return answer(.known, tag) }
        let bytes = try await cuts.bytes(of: item, key, work: request.work(in: pyramid.table)) {
            try await pyramid.cut(request)
        }
        return answer(.bytes(bytes), tag)
    }

    /// Returns a part made from the largest level, which shows enough for a client that sees the picture
    /// from afar. Nil if it does not, or if the pyramid takes hardly longer.
    ///
    /// - Parameter isAll: whether there will be no pyramid.
    private func preview(
        _ item: Item, _ request: ZoomRequest, _ size: ZoomSize, _ isKnown: (String) -> Bool,
        isAll: Bool
    ) async throws -> ZoomAnswer? {
        guard isAll || size.width * size.height > Self.quickPixels,
            let largest = pictures.configuration.levels.last
        else { return nil }
        let shown = size.fitting(largest)
        guard request.outWidth * size.width <= request.width * shown.width,
            request.outHeight * size.height <= request.height * shown.height
        else { return nil }
        let made = try await pictures.picture(of: item, level: largest, format: .jpeg)
        let picture = made.picture
        guard !picture.isPlaceholder else { return nil }
        let key = cuts.key(picture.facts.digest, request)
        let tag = cuts.tag(key)
        func answer(_ content: ZoomAnswer.Content) -> ZoomAnswer {
            ZoomAnswer(
                content: content, tag: tag, renderedAt: picture.facts.renderedAt,
                freshUntil: picture.freshUntil, isPrivate: picture.isPrivate,
                outcome: made.outcome, isPreview: !isAll)
        }
        if isKnown(tag) { return answer(.known) }
        let (columns, rows) = (picture.facts.width, picture.facts.height)
        let (across, down) = (
            Double(columns) / Double(size.width), Double(rows) / Double(size.height)
        )
        let bytes = try await cuts.bytes(
            of: item, key,
            work: columns * rows + request.outWidth * request.outHeight
        ) {
            PictureCut(
                tiles: [picture.bytes], columns: [columns], rows: [rows],
                x: Double(request.x) * across, y: Double(request.y) * down,
                width: Double(request.width) * across, height: Double(request.height) * down,
                outWidth: request.outWidth, outHeight: request.outHeight,
                isMirrored: request.isMirrored, quarters: request.quarters, colors: request.colors)
        }
        return answer(.bytes(bytes))
    }

    // MARK: - The largest picture of an item, which its pyramid is made from

    /// Returns the size of the item's largest picture; nil if only fetching it shows that.
    ///
    /// - Parameter original: of the largest level.
    private func size(of item: Item, _ original: Digest) async throws -> ZoomSize? {
        guard let largest = pictures.configuration.levels.last, let own = try await size(original)
        else { return nil }
        let shown = try await pictures.thumbnails.resolution(of: item, largest)
        guard let best = try await best(item) else { return own }
        if best.url == shown?.url { return own }
        guard let width = best.width, let height = best.height,
            StoredBounds.holds(width: width, height: height)
        else { return nil }
        return width > own.width && height > own.height
            ? ZoomSize(width: width, height: height) : own
    }

    /// Returns the size of an original at the largest level.
    private func shownSize(_ original: Digest) async throws -> ZoomSize? {
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
        let chain = details.orderedChain(for: .pyramid(of: details, maxPixels: maxOriginalPixels))
        for case .candidate(let candidate) in chain.prefix(1) { return candidate }
        return nil
    }

    /// Returns what the catalog says of an item; nil if the catalog can't be asked.
    private func details(_ item: Item) async throws -> ItemDetails? {
        let source = try pictures.context.sources.source(of: item)
        do {
            return try await pictures.context.catalog.details(of: item, source: source).document
                .value
        } catch let failure as Failure where failure.ofPicture != nil {
            return nil
        }
    }
}
