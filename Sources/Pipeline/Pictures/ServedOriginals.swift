package import Catalog
package import FoundationEssentials
package import Hashing
import Imaging
import Store

/// Originals and blobs for responses.
extension Pictures {
    /// Returns the original that the largest level of an item is made from.
    ///
    /// - Parameter wantsBytes: Returns whether a blob of that digest and date should be opened. If
    ///   not, its presence and size are enough.
    /// - Throws: ``Failure`` of the kinds of a picture if no candidate has a usable one, of a
    ///   catalog, and of this service.
    package func original(
        of item: Item, wantsBytes: @Sendable (Digest, Date) -> Bool = { _, _ in true }
    ) async throws(Failure) -> OriginalAnswer {
        try await Failure.catching { [self] in
            let item = try await shownPictured(item)
            if let folder = context.folders.folder(of: item) {
                return try shown(try await context.folders.answer(item, of: folder, wantsBytes))
            }
            let largest = try largestLevel
            if let known = try await known(item, wantsBytes) { return known }
            var wanted = MissRequest(
                adapted([Rendition(level: largest, format: .jpeg)], to: item))
            wanted.wantsOriginal = true
            let missed = try await misses.visit(item, wanted)
            let outcome = missed.joined ? CacheOutcome.collapsed : .miss
            if let made = try await storedOriginal(of: item, outcome: outcome, wantsBytes) {
                return made
            }
            throw missed.result.failure
                ?? context.originals.failure(.unavailable, "The original was lost.")
        }
    }

    /// Returns the original if it is stored, and refreshes it in the background if it has expired.
    /// Never starts a miss.
    ///
    /// - Throws: as ``original(of:wantsBytes:)``.
    package func storedOriginal(
        of item: Item, wantsBytes: @Sendable (Digest, Date) -> Bool
    ) async throws(Failure) -> OriginalAnswer? {
        try await Failure.catching { [self] in
            let item = try await shownPictured(item)
            if let folder = context.folders.folder(of: item) {
                return try shown(try await context.folders.answer(item, of: folder, wantsBytes))
            }
            return try await known(item, wantsBytes)
        }
    }

    /// Returns an original unless its bytes are blocked.
    private func shown(_ original: OriginalAnswer) throws(Failure) -> OriginalAnswer {
        if let failure = context.blocks.failure(of: original.digest) { throw failure }
        return original
    }

    /// Returns a number that changes when the item's pictures are published or purged.
    package func epoch(of item: Item) -> UInt64 { memory.epoch(of: item) }

    private var largestLevel: Level {
        get throws(Failure) {
            guard let largest = configuration.levels.last else {
                throw Failure(.unknownLevel, "No levels are configured.")
            }
            return largest
        }
    }

    private func known(
        _ item: Item, _ wantsBytes: (Digest, Date) -> Bool
    ) async throws -> OriginalAnswer? {
        guard let known = try await storedOriginal(of: item, outcome: .hit, wantsBytes) else {
            return nil
        }
        let rendition = context.sources.rendition(
            Rendition(level: try largestLevel, format: .jpeg), of: item)
        if known.wantsRefresh { refresh(PictureKey(item: item, rendition: rendition)) }
        return known
    }

    /// Returns the blob of that digest, open if its bytes are wanted.
    ///
    /// - Throws: ``Failure`` of kind `unknownBlob`, and of the kinds of a failed store.
    package func blob(
        _ digest: Digest, wantsBytes: Bool = true
    ) async throws(Failure) -> BlobContent {
        if let failure = context.blocks.failure(of: digest) { throw failure }
        return try await Failure.catching { [self] in
            if let content = try await content(digest, wantsBytes) { return content }
            // Clients may know it from a response already.
            await settled()
            guard let content = try await content(digest, wantsBytes) else {
                throw Failure(.unknownBlob, "Blob \(digest) is not in the cache.")
            }
            return content
        }
    }

    /// Returns whether an origin allows only private caches to keep the picture of a blob.
    package func isPrivate(_ digest: Digest) async throws(Failure) -> Bool {
        try await Failure.catching { [self] in
            try await thumbnails.index.isShown(digest, expiringBy: FreshnessPolicy.neverShared)
        }
    }

    /// Returns the items that show the picture of a blob, if they are few.
    package func items(showing digest: Digest) async throws(Failure) -> [Item] {
        try await Failure.catching { [self] in
            try await thumbnails.index.items(showing: digest, limit: Self.mostItems)
                .compactMap { Item($0) }
        }
    }

    /// More than a response can name.
    private static let mostItems = 500

    private func content(_ digest: Digest, _ wantsBytes: Bool) async throws -> BlobContent? {
        if wantsBytes { return try await thumbnails.blobs.open(digest).map(BlobContent.open) }
        return try await thumbnails.blobs.look(digest).map { look in
            .size(look.byteCount, format: ImageFormat.sniff(look.beginning))
        }
    }

    private func storedOriginal(
        of item: Item, outcome: CacheOutcome, _ wantsBytes: (Digest, Date) -> Bool
    ) async throws -> OriginalAnswer? {
        guard let largest = configuration.levels.last,
            let known = try await thumbnails.resolution(of: item, largest)
        else { return nil }
        if let failure = known.failure, known.original == nil, known.isRemembered { throw failure }
        guard let digest = known.original,
            let content = try await content(digest, wantsBytes(digest, known.resolvedAt)),
            try await hasItsSize(content, digest, url: known.url)
        else { return nil }
        let isFresh = known.freshUntil > now()
        return OriginalAnswer(
            digest: digest, content: content, fetchedAt: known.resolvedAt,
            freshUntil: known.freshUntil, isPrivate: known.isPrivate,
            outcome: outcome == .hit && !isFresh ? .stale : outcome,
            wantsRefresh: FreshnessPolicy.wantsRefresh(
                known.freshUntil, known.failure?.until, at: now()))
    }

    /// Returns whether a blob that was not compared with its digest at least has its recorded size.
    private func hasItsSize(
        _ content: BlobContent, _ digest: Digest, url: String?
    ) async throws -> Bool {
        guard case .size(let count, _) = content, let url,
            let record = try await thumbnails.index.original(url: url), record.digest == digest
        else { return true }
        return record.byteCount == count
    }
}
