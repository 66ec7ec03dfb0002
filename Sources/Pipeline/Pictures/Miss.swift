import Catalog
import Fetch
import FoundationEssentials
import Imaging
import Store

/// A cache miss of one item: resolve → fetch → store → render → publish. Read ``run()`` first.
///
/// Callers that want the same item share one miss, and get its result. Callers of pictures get them
/// as soon as they are rendered; disk and index follow. What happens when
/// - the origin is away, or slower than `fetch.totalTimeout`: ``Originals`` returns the stored original,
///   stale. If none is stored it remembers the failure, and the next candidate is tried;
/// - the picture is broken: its ``Origin`` remembers that. The good original that was stored before is
///   rendered, or the next candidate is tried;
/// - no candidate is left: callers get the stored thumbnail or the placeholder;
/// - the disk is full: bytes and rows wait in memory (``StorePolicy/unsavedBytes``);
/// - another process makes the same: ``Misses`` waits for its claim, and then looks again.
struct Miss {
    private let context: MissContext
    private let item: Item
    private let source: any Source
    private let origin: any Origin
    private let requests: Flights.Orders
    /// Takes a place when an original is in hand; nil if the caller bounds its work itself.
    private let visit: AdmissionQueue.Visit?
    private var resolution: Resolution
    private var result: MissResult
    /// The best original whose pyramid can't be made, without its bytes.
    private var tooLarge: Original?

    init(
        _ item: Item, _ requests: Flights.Orders, _ context: MissContext,
        _ visit: AdmissionQueue.Visit?
    ) throws {
        self.item = item
        self.requests = requests
        self.context = context
        self.visit = visit
        source = try context.sources.source(of: item)
        origin = source is FolderSource ? context.folders : context.originals
        resolution = Resolution(
            of: item, maxSteps: context.editions.current.configuration.maxChainSteps)
        result = MissResult(trace: Trace(resolvedAt: context.now()))
    }

    /// Tries one candidate after another until one gives a picture.
    ///
    /// - Throws: ``Failure`` and the errors of the stages if this service or the catalog is at
    ///   fault; `CancellationError`. If every candidate failed, the result has the failure.
    mutating func run() async throws -> MissResult {
        while let candidate = try await resolve() {
            guard let original = try await fetchAndStore(candidate),
                let rendered = try await render(original, candidate)
            else {
                // The next candidate may wait for its host, with nothing in hand.
                visit?.giveBack()
                continue
            }
            return try await publish(rendered, candidate)
        }
        return try await publishFailure()
    }

    // MARK: - Resolve

    /// Returns the next candidate, or nil if none is left. Asks the catalog when the chain links to
    /// another item. A catalog's failure counts like a candidate's.
    private mutating func resolve() async throws -> Candidate? {
        while let step = resolution.next() {
            switch step {
            case .candidate(let candidate): return candidate
            case .item(let next): resolution.follow(try await chain(of: next))
            case .scalable: continue
            }
        }
        return nil
    }

    private mutating func chain(of next: Item) async throws -> [ChainStep] {
        let label = "catalog \(next.shown)"
        if let failure = context.blocks.failure(of: next) {
            end(failure, label)
            return []
        }
        let nextSource = try context.sources.source(of: next)
        let stage = MissStage(.resolve)
        defer { result.timings.catalog += stage.duration }
        do {
            let answer = try await stage.during { [context] in
                try await context.catalog.details(of: next, source: nextSource)
            }
            stage.end()
            let details = answer.document.value
            let chain = details.orderedChain(for: chosenBox(of: details))
            result.trace.add(
                .followed, label,
                note: answer.isStale ? "stored, stale" : answer.wasAsked ? "asked" : "stored",
                took: answer.wasAsked ? stage.duration : nil)
            if let unread = details.unread {
                fail(context.originals.failure(.unavailable, unread), label)
            } else if chain.isEmpty {
                let reason = details.absence ?? "\(next.shown) has no picture."
                fail(context.originals.failure(.absent, reason), label)
            }
            return chain
        } catch let failure as Failure {
            guard let failure = failure.ofPicture else { throw failure }
            fail(context.originals.remembered(failure), label, took: stage.duration)
            return context.catalog.remainder(of: next, source: nextSource, for: chosenBox(of: nil))
        }
    }

    /// Fixes the box for which candidates are ordered. Callers that want a larger one come too
    /// late.
    private func chosenBox(of details: ItemDetails?) -> PictureBox {
        let maxPixels = context.editions.current.renderer.maxPixels
        return requests.update { request in
            guard request.stage == .open else { return request.box }
            request.stage = .chosen
            if request.isOfPyramid { request.box = .pyramid(of: details, maxPixels: maxPixels) }
            return request.box
        }
    }

    // MARK: - Fetch

    /// Returns the original, or nil if it failed. A fetched one is stored before this returns; if its
    /// render starts at once, it is stored with its thumbnails.
    ///
    /// - Parameter again: fetches although the original is stored, because its blob is gone.
    private mutating func fetchAndStore(
        _ candidate: Candidate, again: Bool = false
    ) async throws -> Original? {
        let stage = MissStage(.fetch)
        let acquired = try await stage.during { [self] in
            try await origin.acquire(
                candidate, of: item, by: source, again: again, visit: visit)
        }
        result.timings.fetch += stage.duration
        switch acquired {
        case .failure(let failure, let asked, let took):
            stage.end(candidate, asked ? "asked" : "remembered", failure)
            // Another candidate would show the same picture.
            if failure.isOfBlock { resolution.end() }
            fail(
                failure, candidate.label, candidate.url, asked ? .failed : .remembered, took: took)
            return nil
        case .original(let original):
            stage.end(candidate, original.provenance.rawValue, original.failure)
            result.bytesFetched += original.bytesFetched
            // Bytes that another miss fetched are in memory already, in that miss's place.
            if original.visit?.isHolding != true { try await visit?.hold() }
            return original
        }
    }

    // MARK: - Render

    /// Renders the requested thumbnails that are not stored. Returns nil if the original is not a
    /// usable picture.
    private mutating func render(
        _ original: Original, _ candidate: Candidate, isRepeated: Bool = false
    ) async throws -> RenderedOriginal? {
        do {
            if let rendered = try await rendered(from: original, candidate) { return rendered }
        } catch let error as ImagingError {
            return try await reject(original, candidate, error)
        }
        if isRepeated {
            let reason = "The stored original is damaged and could not be fetched again."
            fail(context.originals.failure(.unavailable, reason), candidate.label, candidate.url)
            return nil
        }
        // Its blob is gone or was quarantined: once more, from the origin.
        guard let original = try await fetchAndStore(candidate, again: true) else { return nil }
        return try await render(original, candidate, isRepeated: true)
    }

    /// Returns an original with the requested thumbnails, of which it renders those that are not stored.
    /// Returns nil if the original's bytes are gone.
    private mutating func rendered(
        from original: Original, _ candidate: Candidate
    ) async throws -> RenderedOriginal? {
        let known = try await context.thumbnails.index.known(
            of: item.description, original: original.digest)
        // A larger level may lead to another original. It doesn't replace fresh smaller ones. That holds for
        // candidates of one picture. A file that was changed is another picture.
        let fresh =
            origin.hasFiles
            ? []
            : try await context.thumbnails.freshLevels(of: known.item, besides: original.digest)
        let request = requests.update { request in
            request.stage = .rendering
            request.leave(fresh)
            return request
        }
        let wanted = request.renditions
        // All thumbnails may be stored although the original is gone or was quarantined.
        if request.wantsOriginal, try await origin.bytes(of: original, item) == nil { return nil }
        let missing = try await context.thumbnails.missing(
            of: original.digest, among: wanted, known.thumbnails, known.summary)
        var rendered = RenderedOriginal(
            original: original, wanted: wanted, reused: wanted.count - missing.count)
        if missing.isEmpty {
            if let held = original.held, let summary = known.summary {
                rendered.describe(summary.width, summary.height, ImageFormat.sniff(held.bytes))
            }
            return rendered
        }
        guard let held = try await origin.bytes(of: original, item) else { return nil }
        // The bytes keep their reservation in the budget until they are rendered.
        defer { withExtendedLifetime(held.hold) {} }
        let stage = MissStage(.render)
        let rendering: Rendering
        do {
            rendering = try await context.renders.render(
                original.digest, held.bytes, missing,
                for: .item(item), known: known.quarantined,
                early: early(request.shown, of: original, candidate))
        } catch {
            stage.end(error)
            if (error as? ImagingError)?.rejection == nil {
                // The next miss needs no other download.
                var original = original
                try await context.originals.storeUnrendered(&original)
            }
            throw error
        }
        stage.end(rendering)
        result.timings.queue += rendering.queued
        result.timings.render += rendering.worked
        let info = rendering.info
        rendered.describe(info.width, info.height, info.format)
        rendered.rendering = rendering
        return rendered
    }

    /// Answers callers when the thumbnails that are shown are made, while the others still are.
    private func early(
        _ shown: Set<Rendition>, of original: Original, _ candidate: Candidate
    ) -> EarlyThumbnails? {
        if shown.isEmpty { return nil }
        let (miss, start) = (self, ContinuousClock.now)
        let edition = context.editions.current
        return EarlyThumbnails(shown) { thumbnails in
            var result = miss.chosen(original, candidate, thumbnails)
            result.timings.render += ContinuousClock.now - start
            miss.context.editions.during(
                edition, now: { miss.answer(with: result, unless: { miss.block(of: original) }) })
        }
    }

    /// Rejects an original that is not a usable picture, or throws the error if this service is at fault. Returns
    /// the good one that was stored before it came, if there is one.
    private mutating func reject(
        _ original: Original, _ candidate: Candidate, _ error: ImagingError
    ) async throws -> RenderedOriginal? {
        guard let reason = error.rejection else { throw error }
        // Its thumbnails can be made, even if its pyramid can't be.
        let isPicture = !original.record.format.isEmpty || error.leavesThumbnails
        if isPicture, requests.update({ $0.isOfPyramid }) {
            let failure = context.originals.failure(.rejected, reason)
            fail(failure, candidate.label, candidate.url, took: original.took)
            if tooLarge == nil { tooLarge = try await context.originals.kept(original) }
            return nil
        }
        let (failure, kept) = try await origin.reject(original, of: item, reason: reason)
        if let kept {
            do {
                if let rendered = try await rendered(from: kept, candidate) { return rendered }
            } catch let error as ImagingError where error.rejection != nil {
                // It isn't usable either, with the present limits or decoder.
            }
        }
        fail(failure, candidate.label, candidate.url, took: original.took)
        return nil
    }

    // MARK: - Publish

    /// Answers callers that want no more than what was rendered. Then stores the thumbnails and
    /// binds the item to the original.
    private mutating func publish(
        _ rendered: RenderedOriginal, _ candidate: Candidate
    ) async throws -> MissResult {
        let original = rendered.original
        if let failure = block(of: original) {
            end(failure, candidate.label, candidate.url)
            return try await publishFailure()
        }
        result = chosen(original, candidate, rendered.rendering?.thumbnails ?? [])
        result.thumbnails += result.pictures.count
        result.reused += rendered.reused
        result.originalsFetched += original.provenance == .fetched ? 1 : 0
        answer(with: result) { block(of: original) }
        let stage = MissStage(.store)
        let records = try await stage.during { [result, context] in
            try await context.thumbnails.store(
                result.pictures, of: original.digest, with: original.unstored)
        }
        stage.end()
        if rendered.rendering != nil { result.timings.store += stage.duration }
        result.stored += DiskUsage(
            bytes: records.reduce(0) { $0 + $1.facts.byteCount }, files: records.count)
        if original.provenance == .fetched {
            result.stored += DiskUsage(bytes: original.record.byteCount, files: 1)
        }
        let freshUntil = resolution.freshUntil(original.record.freshUntil)
        try await record(
            ItemRecord(
                item, Set(rendered.wanted.map(\.level)), showing: original, freshUntil: freshUntil,
                result.trace, at: context.now()),
            original: original.provenance == .stale ? nil : original.record, records,
            rendered.rendering.map { SummaryRecord($0.summary, of: original.digest) },
            isShared: !FreshnessPolicy.isPrivate(freshUntil))
        try await context.originals.settle(original)
        return try await show()
    }

    /// Returns the result with the pictures of the original that was chosen.
    private func chosen(
        _ original: Original, _ candidate: Candidate, _ thumbnails: [Thumbnail]
    ) -> MissResult {
        var result = result
        result.pictures = context.thumbnails.pictures(
            thumbnails, freshUntil: resolution.freshUntil(original.record.freshUntil),
            failure: original.failure)
        result.isStale = original.provenance == .stale
        result.trace.add(
            .chosen, candidate.label, url: candidate.url, note: original.note, took: original.took,
            lanes: thumbnails.map(\.lane))
        return result
    }

    /// Remembers that every candidate failed, and shows the stored picture or the placeholder.
    private mutating func publishFailure() async throws -> MissResult {
        let failure =
            resolution.failure
            ?? context.originals.failure(.absent, "\(item.shown) has no picture.")
        result.failure = failure
        // It is shown again as soon as the block is lifted.
        if failure.isOfBlock { return try await show() }
        let levels = Set(requests.update { $0.renditions }.map(\.level))
        let known = try await context.thumbnails.index.item("\(item)")
        // A file that never existed leaves nothing behind.
        if origin.hasFiles, failure.kind == .absent, known.originals.isEmpty {
            return try await show()
        }
        let tooLarge = failure.kind == .rejected ? tooLarge : nil
        try await record(
            ItemRecord(
                item, levels, failed: failure, tooLarge, known, result.trace, at: context.now()),
            original: tooLarge?.ownRecord, isShared: failure.isLasting)
        return try await show()
    }

    /// Writes what was found out to the index. The item is marked for its upload, which begins after that.
    /// A file is not marked, because other nodes have other ones.
    private func record(
        _ found: ItemRecord, original: OriginalRecord?, _ thumbnails: [ThumbnailRecord] = [],
        _ summary: SummaryRecord? = nil, isShared: Bool
    ) async throws {
        var found = found
        if isShared, !origin.hasFiles { context.shared?.mark(&found) }
        try await context.thumbnails.index.record(
            originals: [original].compactMap(\.self), summaries: [summary].compactMap(\.self),
            thumbnails: thumbnails, items: [found])
        if found.uploadSince != nil { context.shared?.waiting.ring() }
    }

    /// Puts the rendered pictures into memory, where hits find them, and gives them to the callers
    /// that wait for nothing else. A write that fails afterward shows in the metrics.
    ///
    /// - Parameter block: returns why they must not be shown.
    private func answer(with result: MissResult, unless block: () -> Failure?) {
        let pictures = result.pictures
        if pictures.isEmpty || block() != nil { return }
        requests.update { $0.answered.formUnion(pictures.keys) }
        _ = context.memory.publish(pictures, of: item, among: Set(pictures.keys))
        // Blocked in between. A later block finds them in memory, and removes them.
        if block() != nil {
            _ = context.memory.publish([:], of: item, among: Set(pictures.keys))
            return
        }
        requests.answer(.success(result)) { request in
            !request.shown.isEmpty && !request.wantsOriginal
                && request.shown.allSatisfy { pictures[$0] != nil }
        }
    }

    /// Puts the pictures into memory, where hits find them, and drops the hits that they replace.
    /// The result has what each caller gets: the rendered picture, the stored one, or the
    /// placeholder.
    private mutating func show() async throws -> MissResult {
        let request = requests.update { request in
            request.stage = .published
            return request
        }
        let epoch = context.memory.publish(result.pictures, of: item, among: request.renditions)
        for rendition in request.shown where result.pictures[rendition] == nil {
            let key = PictureKey(item: item, rendition: rendition)
            if let stored = try await context.thumbnails.picture(key) {
                context.memory.insert(stored, key, since: epoch)
                result.pictures[rendition] = stored
            } else if let failure = result.failure {
                result.pictures[rendition] = try await context.thumbnails.placeholder(
                    rendition, failure)
            }
        }
        return result
    }

    /// Returns why nothing of an original must be shown; nil if nothing is blocked.
    private func block(of original: Original) -> Failure? {
        context.blocks.failure(of: item) ?? context.blocks.failure(of: original.digest)
            ?? context.blocks.failure(ofURL: original.record.url)
    }

    /// Ends the chain, because other candidates would show what is blocked.
    private mutating func end(_ failure: Failure, _ label: String, _ url: String? = nil) {
        resolution.end()
        fail(failure, label, url)
    }

    private mutating func fail(
        _ failure: Failure, _ label: String, _ url: String? = nil,
        _ outcome: Trace.Step.Outcome = .failed, took: Duration? = nil
    ) {
        resolution.fail(failure)
        result.trace.add(outcome, label, url: url, note: failure.reason, took: took)
    }
}
