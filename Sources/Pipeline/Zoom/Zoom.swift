package import Catalog
package import FoundationEssentials
import Imaging
import Memory
package import Store
import Synchronization

/// Parts of pictures in any size, from pyramids of tiles that are made once per original.
///
/// A pyramid is a rendition like a thumbnail: a ``Miss`` makes it from the largest candidate, and the
/// index, eviction, purges and pins know it. It is made when a client looks closer than the largest
/// level shows. Other parts than tiles are cut for the client and kept in memory only, so that invented
/// sizes take no room on disk.
package final class Zoom: Sendable {
    /// Pyramids whose files are kept open.
    private static let mostOpen = 32
    /// Pixels of a picture whose pyramid takes so little time that the client waits for it.
    private static let quickPixels = 4_000_000

    private struct CutKey: Hashable, Sendable {
        /// Of the pyramid, or of the thumbnail that stands for it.
        var source: Digest
        var request: ZoomRequest
    }

    private let pictures: Pictures
    private let renderer: Renderer
    private let policy: ZoomPolicy
    private let flights = Miss.Flights(merge: MissRequest.merge)
    private let brake: RefreshBrake
    private let opened = MemoryTier<Item, OpenPyramid>(maxCost: mostOpen, maxCount: mostOpen)
    private let cuts: MemoryTier<CutKey, [UInt8]>
    private let cutting = InFlight<CutKey, Void, Result<[UInt8], Failure>> { _, _ in true }
    /// Parts that are cut or wait for it.
    private let queue: AdmissionQueue
    private let budget: Mutex<ZoomBudget>
    private let start = ContinuousClock.now

    private var thumbnails: StoredThumbnails { pictures.thumbnails }
    private var now: @Sendable () -> Date { pictures.now }

    /// - Parameter cutBytes: memory for parts that were cut.
    init(_ pictures: Pictures, renderer: Renderer, cutBytes: Int) {
        self.pictures = pictures
        self.renderer = renderer
        policy = pictures.configuration.zoom
        brake = RefreshBrake(pictures.configuration.freshness)
        cuts = MemoryTier(maxCost: cutBytes, maxCount: 10_000)
        queue = AdmissionQueue(places: 2 * renderer.load.threads, line: policy.waiting)
        budget = Mutex(ZoomBudget(perMinute: policy.pixelsPerMinute))
    }

    /// Returns the size of an item's picture at its largest, and until when that is known. For a picture
    /// whose pyramid can't be made it is the size of the largest level.
    ///
    /// - Throws: ``Failure`` of the kinds of a picture if the item has none, of a catalog, and of this
    ///   service.
    package func facts(of item: Item) async throws(Failure) -> ZoomFacts {
        try await Failure.catching { [self] in
            if let pyramid = try await stored(item) {
                return ZoomFacts(size: pyramid.size, freshUntil: pyramid.freshUntil)
            }
            let original = try await pictures.original(of: item) { _, _ in false }
            if let failure = try await failure(of: item), failure.kind == .rejected,
                let shown = try await largestShown(original.digest)
            {
                return ZoomFacts(
                    size: shown, freshUntil: min(original.freshUntil, failure.until))
            }
            guard let known = try await size(of: item, original.digest) else {
                let (pyramid, _) = try await made(item)
                return ZoomFacts(size: pyramid.size, freshUntil: pyramid.freshUntil)
            }
            return ZoomFacts(size: known, freshUntil: original.freshUntil)
        }
    }

    /// Returns a part of an item's picture.
    ///
    /// - Parameters:
    ///   - request: within the size of ``facts(of:)``.
    ///   - isKnown: Returns whether the client has the response with that entity tag. Then nothing is
    ///     made.
    /// - Throws: as ``facts(of:)``; `overloaded` if too many parts wait, `tooMany` if the picture's budget
    ///   is used up.
    package func part(
        of item: Item, _ request: ZoomRequest, _ size: ZoomSize,
        isKnown: @Sendable (String) -> Bool = { _ in false }
    ) async throws(Failure) -> ZoomAnswer {
        try await Failure.catching { [self] in
            if let level = try await level(item, request, size) { return level }
            if let pyramid = try await stored(item) {
                return try await part(of: item, request, pyramid, .hit, isKnown)
            }
            let failure = try await failure(of: item)
            if let preview = try await preview(
                item, request, size, isKnown, isAll: failure?.kind == .rejected)
            {
                return preview
            }
            if let failure { throw failure }
            let (pyramid, outcome) = try await made(item)
            return try await part(of: item, request, pyramid, outcome, isKnown)
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

    // MARK: - Sizes

    /// Returns the size of the item's largest picture; nil if only fetching it shows that.
    ///
    /// - Parameter original: of the largest level.
    private func size(of item: Item, _ original: Digest) async throws -> ZoomSize? {
        guard let largest = pictures.configuration.levels.last,
            let summary = try await thumbnails.index.summary(of: original)
        else { return nil }
        let own = ZoomSize(width: summary.width, height: summary.height)
        let binding = try await thumbnails.index.binding(
            item: item.description, level: largest.key)
        guard let best = try await best(item) else { return own }
        if best.url == binding?.url { return own }
        guard let width = best.width, let height = best.height else { return nil }
        return width > own.width && height > own.height
            ? ZoomSize(width: width, height: height) : own
    }

    /// Returns the size of an original at the largest level.
    private func largestShown(_ original: Digest) async throws -> ZoomSize? {
        guard let largest = pictures.configuration.levels.last,
            let summary = try await thumbnails.index.summary(of: original)
        else { return nil }
        return ZoomSize(width: summary.width, height: summary.height).fitting(largest)
    }

    /// Returns the candidate that the pyramid is made from; nil if the catalog can't be asked.
    private func best(_ item: Item) async throws -> Candidate? {
        guard let details = try await details(item) else { return nil }
        let chain = details.orderedChain(for: box(of: details))
        for case .candidate(let candidate) in chain.prefix(1) { return candidate }
        return nil
    }

    private func details(_ item: Item) async throws -> ItemDetails? {
        let source = try pictures.context.sources.source(of: item)
        do {
            return try await pictures.context.catalog.details(of: item, source: source).document
                .value
        } catch let failure as Failure where failure.ofPicture != nil {
            return nil
        }
    }

    /// Returns the box that leads to the largest picture that may be decoded.
    private func box(of details: ItemDetails?) -> PictureBox {
        let level = Rendition.pyramid.level
        let most = Double(renderer.maxPixels)
        for case .scalable(let scalable) in details?.chain ?? [] {
            guard let width = scalable.maxWidth, let height = scalable.maxHeight, width > 0,
                height > 0
            else { continue }
            // Halves, so that all layers of the server's own pyramid stay whole.
            var (w, h) = (width, height)
            while Double(w) * Double(h) > most { (w, h) = ((w + 1) / 2, (h + 1) / 2) }
            return PictureBox(width: w, height: h)
        }
        return PictureBox(width: level.width, height: level.height)
    }

    // MARK: - Pyramids

    /// Returns the pyramid if it is stored, and refreshes it in the background if it has expired.
    private func stored(_ item: Item) async throws -> OpenPyramid? {
        let epoch = pictures.memory.epoch(of: item)
        if let open = opened.value(item), open.epoch == epoch, open.blob.isUnchanged {
            thumbnails.blobs.touch(open.blob.digest)
            if open.wantsRefresh(at: now()) { refresh(item) }
            return open
        }
        guard
            let binding = try await thumbnails.index.binding(
                item: item.description, level: Rendition.pyramid.level.key)
        else { return nil }
        let freshness = pictures.configuration.freshness
        let failure = binding.failure.flatMap(Failure.init).map {
            freshness.believed($0, now: now())
        }
        guard let original = binding.original,
            let record = try await thumbnails.index.thumbnail(thumbnails.key(original, .pyramid)),
            let blob = try await thumbnails.blobs.open(record.digest),
            let table = try await Self.table(of: blob)
        else { return nil }
        let open = OpenPyramid(
            table, blob,
            freshUntil: freshness.believed(
                binding.freshUntil, since: binding.resolvedAt, now: now()),
            renderedAt: record.renderedAt, epoch: epoch, failedUntil: failure?.until)
        opened.insert(open, for: item, cost: 1)
        if open.wantsRefresh(at: now()) { refresh(item) }
        return open
    }

    /// Returns why an item has no pyramid, while that is remembered.
    private func failure(of item: Item) async throws -> Failure? {
        guard
            let binding = try await thumbnails.index.binding(
                item: item.description, level: Rendition.pyramid.level.key),
            binding.original == nil, let failure = binding.failure.flatMap(Failure.init)
        else { return nil }
        let believed = pictures.configuration.freshness.believed(failure, now: now())
        return believed.until > now() ? believed : nil
    }

    private static func table(of blob: OpenBlob) async throws -> PyramidTable? {
        guard let count = PyramidTable.byteCount(blob.beginning) else { return nil }
        let bytes =
            count <= blob.beginning.count ? blob.beginning : try await blob.read(0..<count)
        return PyramidTable(bytes, blob: blob.byteCount)
    }

    /// Returns the pyramid after it was made. Concurrent callers share the work.
    private func made(_ item: Item) async throws -> (OpenPyramid, CacheOutcome) {
        let (result, joined) = try await pictures.visitors.during {
            try await pictures.admissions.requests.run(.init(item), .none) {
                try await make(item, .queued)
            }
        }
        if let pyramid = try await stored(item) { return (pyramid, joined ? .collapsed : .miss) }
        throw result.failure
            ?? pictures.context.originals.failure(.unavailable, "The pyramid was lost.")
    }

    private func make(
        _ item: Item, _ admission: AdmissionQueues.MissAdmission
    ) async throws -> (result: MissResult, joined: Bool) {
        var request = MissRequest([.pyramid])
        request.box = box(of: try await details(item))
        let share = FairQueue.Share(item)
        let landing = await flights.value(for: item, request) { [self] requests in
            do throws(Failure) {
                let result = try await Failure.catching {
                    try await pictures.admissions.miss(share, admission) { [self] visit in
                        try await Claims.withPatience {
                            // Another process may make the same pyramid.
                            let claim = try await pictures.context.claims.claim("pyramid:\(item)")
                            defer { withExtendedLifetime(claim) {} }
                            if claim?.wasAwaited == true, let made = try await stored(item),
                                made.freshUntil > now()
                            {
                                return MissResult(trace: Trace(resolvedAt: now()))
                            }
                            var miss = try Miss(item, requests, pictures.context, visit)
                            return try await miss.run()
                        }
                    }
                }
                return .success(result)
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        return (try landing.value.get(), landing.joined)
    }

    /// Makes the pyramid again in the background if the original has changed. Concurrent calls start one
    /// refresh.
    private func refresh(_ item: Item) {
        guard brake.begin(item, at: now()) else { return }
        // Unstructured, because the response does not wait for it.
        Task { [self] in
            var isRefreshed = false
            do {
                let result = try await make(item, .ifFree).result
                isRefreshed = !result.isStale && result.failure == nil
            } catch {
                // The stored pyramid stays in use; the next request after a pause tries again.
            }
            brake.end(item, isRefreshed: isRefreshed, at: now())
            StateChange.tell()
        }
    }

    // MARK: - Parts

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
        guard !picture.isPlaceholder, picture.width == wanted.width,
            picture.height == wanted.height
        else { return nil }
        return ZoomAnswer(
            content: .bytes(picture.bytes), tag: picture.digest.hex, renderedAt: picture.renderedAt,
            freshUntil: picture.freshUntil, outcome: made.outcome)
    }

    private func part(
        of item: Item, _ request: ZoomRequest, _ pyramid: OpenPyramid, _ outcome: CacheOutcome,
        _ isKnown: (String) -> Bool
    ) async throws -> ZoomAnswer {
        let outcome = outcome == .hit && pyramid.freshUntil <= now() ? .stale : outcome
        func answer(_ content: ZoomAnswer.Content, _ tag: String) -> ZoomAnswer {
            ZoomAnswer(
                content: content, tag: tag, renderedAt: pyramid.renderedAt,
                freshUntil: pyramid.freshUntil, outcome: outcome)
        }
        if let number = request.tile(of: pyramid.table) {
            let tag = "\(pyramid.blob.digest.hex)-\(number)"
            if isKnown(tag) { return answer(.known, tag) }
            return answer(.part(pyramid.blob, pyramid.table.ranges[number]), tag)
        }
        // The picture may have another size than its source said, or have been replaced.
        let request = try request.inside(pyramid.size)
        let tag = tag(pyramid.blob.digest, request)
        if isKnown(tag) { return answer(.known, tag) }
        let bytes = try await cut(
            item, CutKey(source: pyramid.blob.digest, request: request),
            work: request.work(in: pyramid.table)
        ) { try await pyramid.cut(request) }
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
        let tag = tag(picture.digest, request)
        func answer(_ content: ZoomAnswer.Content) -> ZoomAnswer {
            ZoomAnswer(
                content: content, tag: tag, renderedAt: picture.renderedAt,
                freshUntil: picture.freshUntil, outcome: made.outcome, isPreview: !isAll)
        }
        if isKnown(tag) { return answer(.known) }
        let (across, down) = (
            Double(picture.width) / Double(size.width), Double(picture.height) / Double(size.height)
        )
        let bytes = try await cut(
            item, CutKey(source: picture.digest, request: request),
            work: picture.width * picture.height + request.outWidth * request.outHeight
        ) {
            PictureCut(
                tiles: [picture.bytes], columns: [picture.width], rows: [picture.height],
                x: Double(request.x) * across, y: Double(request.y) * down,
                width: Double(request.width) * across, height: Double(request.height) * down,
                outWidth: request.outWidth, outHeight: request.outHeight,
                isMirrored: request.isMirrored, quarters: request.quarters, colors: request.colors)
        }
        return answer(.bytes(bytes))
    }

    private func tag(_ source: Digest, _ request: ZoomRequest) -> String {
        let turn = "\(request.isMirrored) \(request.quarters) \(request.colors)"
        let text =
            "\(source.hex) \(request.x),\(request.y),\(request.width),\(request.height) "
            + "\(request.outWidth),\(request.outHeight) \(turn) \(request.format) "
            + renderer.recipe(ofCuts: request.format)
        return Digest(of: Array(text.utf8)).hex
    }

    /// Returns the encoded part from memory, or makes it. Concurrent callers share the work.
    ///
    /// - Parameter work: pixels that it costs.
    private func cut(
        _ item: Item, _ key: CutKey, work: Int,
        _ make: @escaping @Sendable () async throws -> PictureCut
    ) async throws -> [UInt8] {
        if let bytes = cuts.value(key) { return bytes }
        let landing = await cutting.value(for: key, ()) { [self] _ in
            do throws(Failure) {
                return .success(
                    try await Failure.catching { [self] in
                        try await cutNow(item, key, work: work, make)
                    })
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        return try landing.value.get()
    }

    private func cutNow(
        _ item: Item, _ key: CutKey, work: Int, _ make: @Sendable () async throws -> PictureCut
    ) async throws -> [UInt8] {
        let clock = start.duration(to: .now) / .seconds(1)
        if let seconds = budget.withLock({ $0.take(work, of: item, at: clock) }) {
            throw Failure(
                .tooMany,
                "Too many parts of this picture were asked for in new sizes; try again in "
                    + "\(seconds) s, or ask for its tiles.", retryAfter: seconds)
        }
        let group = IsolationGroup.source(item.source, host: SignedURL.host(of: item))
        let bytes = try await queue.run(.init(item)) {
            try await renderer.cut(try await make(), key.request.format, for: group)
        }
        cuts.insert(bytes, for: key, cost: bytes.count + 256)
        return bytes
    }
}

/// What is known of a picture before a part of it is made.
package struct ZoomFacts: Sendable, Equatable {
    package var size: ZoomSize
    package var freshUntil: Date
}

/// A part of a picture, encoded.
package struct ZoomAnswer: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A part of a blob.
        case part(OpenBlob, Range<Int>)
        /// The client has it.
        case known
    }

    package var content: Content
    /// Differs for different bytes.
    package var tag: String
    package var renderedAt: Date
    package var freshUntil: Date
    package var outcome: CacheOutcome
    /// Whether a sharper one may follow.
    package var isPreview = false
}
