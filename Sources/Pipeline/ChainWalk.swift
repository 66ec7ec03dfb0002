import Catalog
import Fetch
import FoundationEssentials
import Imaging
import Memory
import Store

/// Walks an item's chain until a candidate gives a picture, and renders from it what is wanted:
/// resolve → fetch → store → decode once → every level → store.
struct ChainWalk {
    typealias Flights = InFlight<Item, WalkOrder, Result<WalkResult, PipelineError>>

    private let stages: Stages
    private let item: Item
    private let source: any Source
    private let orders: Flights.Orders
    /// Takes a place for what is in hand; `nil` where that is not bounded.
    private let visit: AdmissionQueue.Visit?
    private var result: WalkResult
    private var failures: [Failure] = []

    init(
        _ item: Item, _ orders: Flights.Orders, _ stages: Stages, _ visit: AdmissionQueue.Visit?
    ) throws {
        self.item = item
        self.visit = visit
        self.orders = orders
        self.stages = stages
        source = try stages.sources.source(of: item)
        result = WalkResult(trace: Trace(walkedAt: stages.now()))
    }

    mutating func run() async throws -> WalkResult {
        var pending: [ChainStep] = [.item(item)]
        var visited: Set<Item> = []
        var steps = 0
        while !pending.isEmpty, steps < stages.configuration.maxChainSteps {
            steps += 1
            switch pending.removeFirst() {
            case .item(let next):
                guard visited.insert(next).inserted else { continue }
                pending.insert(contentsOf: try await follow(next), at: 0)
            case .candidate(let candidate):
                if try await attempt(candidate) { return result }
            case .scalable:
                // An ordered chain has them in their size already.
                continue
            }
        }
        try await conclude()
        return result
    }

    /// Asks the catalogue; its failure counts like a candidate's.
    private mutating func follow(_ next: Item) async throws -> [ChainStep] {
        let label = "catalogue \(next.shown)"
        do {
            let start = ContinuousClock.now
            defer { result.timings.catalog += ContinuousClock.now - start }
            let answer = try await stages.catalog.details(
                of: next, source: try stages.sources.source(of: next))
            let details = answer.document.value
            let chain = details.orderedChain(for: chosenBox())
            result.trace.add(
                .followed, label,
                note: answer.isStale ? "stored, stale" : answer.wasAsked ? "asked" : "stored")
            if let unread = details.unread {
                fail(stages.originals.failure(.unavailable, unread), label)
            } else if chain.isEmpty {
                let reason = details.absence ?? "\(next.shown) has no picture."
                fail(stages.originals.failure(.absent, reason), label)
            }
            return chain
        } catch let error as PipelineError {
            guard case .catalog(let reason) = error, let kind = Failure.Kind(reason) else {
                throw error
            }
            fail(stages.originals.failure(kind, "\(reason)"), label)
            return stages.catalog.remainder(
                of: next, source: try stages.sources.source(of: next), for: chosenBox())
        }
    }

    /// Settles for which box candidates are ordered; callers that want more come too late.
    private func chosenBox() -> PictureBox {
        orders.update { order in
            if order.stage == .open { order.stage = .chosen }
            return order.box
        }
    }

    /// Tries one candidate; true when the picture came from it.
    private mutating func attempt(_ candidate: Candidate) async throws -> Bool {
        if try await picture(from: candidate) { return true }
        // The next step may wait for its host, with nothing in hand.
        visit?.giveBack()
        return false
    }

    private mutating func picture(from candidate: Candidate) async throws -> Bool {
        for again in [false, true] {
            let start = ContinuousClock.now
            let acquired = try await stages.originals.acquire(
                candidate.url, hosts: source.imageHosts, again: again, visit: visit)
            result.timings.fetch += ContinuousClock.now - start
            switch acquired {
            case .cancelled:
                throw CancellationError()
            case .failure(let failure, let asked):
                fail(failure, candidate.label, candidate.url, asked ? .failed : .remembered)
                return false
            case .original(let original):
                result.bytesFetched += original.bytesFetched
                // Bytes that another walk fetched are in memory already, in that walk's place.
                if original.visit?.isHolding != true { try await visit?.hold() }
                do {
                    if try await render(original, candidate) {
                        result.originalsFetched += original.origin == .fetched ? 1 : 0
                        return true
                    }
                    // Its blob is gone or was quarantined: once more, from the origin.
                } catch let error as ImagingError {
                    guard let reason = error.rejection else { throw error }
                    let (failure, kept) = try await stages.originals.reject(
                        original, reason: reason)
                    if let kept, try await renderKept(kept, candidate) { return true }
                    fail(failure, candidate.label, candidate.url)
                    return false
                }
            }
        }
        let reason = "The stored original is damaged and could not be fetched again."
        fail(stages.originals.failure(.unavailable, reason), candidate.label, candidate.url)
        return false
    }

    /// Renders the good picture that was stored before a bad one came.
    private mutating func renderKept(
        _ kept: Originals.Original, _ candidate: Candidate
    ) async throws -> Bool {
        do {
            return try await render(kept, candidate)
        } catch let error as ImagingError {
            // No good either, by today's limits or today's decoder.
            guard error.rejection != nil else { throw error }
            return false
        }
    }

    /// False where the blob of a stored original is gone.
    private mutating func render(
        _ original: Originals.Original, _ candidate: Candidate
    ) async throws -> Bool {
        let (wanted, wantsOriginal) = orders.update { order in
            order.stage = .rendering
            return (order.renditions, order.wantsOriginal)
        }
        // All thumbnails may be there although the original is gone or was quarantined.
        if wantsOriginal, try await bytes(of: original) == nil { return false }
        let known = try await stages.index.summary(of: original.digest)
        let missing = try await missing(of: wanted, original.digest, isSummed: known != nil)
        var record = original.record
        var thumbnails: [ThumbnailRecord] = []
        var summary: SummaryRecord?
        if !missing.isEmpty {
            guard let (bytes, hold) = try await bytes(of: original) else { return false }
            // Until they are rendered.
            defer { withExtendedLifetime(hold) {} }
            let rendering = try await rendering(of: original, bytes, missing)
            record.width = rendering.info.width
            record.height = rendering.info.height
            record.format = rendering.info.format.rawValue
            thumbnails = try await store(rendering, of: original)
            summary = SummaryRecord(rendering.summary, of: original.digest)
        } else if let bytes = original.bytes, let known {
            record.width = known.width
            record.height = known.height
            record.format = ImageFormat.sniff(bytes)?.rawValue ?? ""
        }
        result.reused += wanted.count - missing.count
        result.isStale = original.origin == .stale
        result.trace.add(.chosen, candidate.label, url: candidate.url, note: original.note)
        if original.origin != .stale { try await stages.index.record(record) }
        try await stages.index.record(
            thumbnails: thumbnails, bindings: bindings(to: original, levels: wanted),
            summary: summary)
        return true
    }

    /// Nothing that brought a renderer down before.
    private mutating func rendering(
        of original: Originals.Original, _ bytes: [UInt8], _ renditions: [Rendition]
    ) async throws -> Rendering {
        let stages = stages
        let group = isolationGroup(of: original.record.url)
        let rendering = try await stages.quarantine.render(original.digest, at: stages.now) {
            (isSuspect) throws(ImagingError) in
            stages.renders.add()
            do throws(ImagingError) {
                return try await stages.renderer.render(
                    bytes, renditions, for: isSuspect ? .alone : group)
            } catch {
                stages.metrics.renderFailed(error)
                throw error
            }
        }
        stages.metrics.rendered(rendering)
        result.timings.queue += rendering.queued
        result.timings.render += rendering.worked
        return rendering
    }

    /// Catalogs answer for the hosts of their pictures; signed URLs lead to any.
    private func isolationGroup(of url: String) -> IsolationGroup {
        let isAnyHost = item.source == SignedURL.name
        return .source(item.source, host: isAnyHost ? HostNames.host(of: url) ?? "" : nil)
    }

    private func missing(
        of wanted: Set<Rendition>, _ original: Digest, isSummed: Bool
    ) async throws -> [Rendition] {
        let stored = try await stages.index.thumbnails(of: original)
        var missing: [Rendition] = []
        for rendition in wanted {
            let key = stages.key(original, rendition)
            if let known = stored.first(where: { $0.key == key }),
                try await stages.blobs.contains(known.digest)
            {
                continue
            }
            missing.append(rendition)
        }
        // A cache older than the summaries: one small thumbnail is rendered again for them.
        if missing.isEmpty, !isSummed {
            missing = [wanted.min { $0.level.width < $1.level.width }].compactMap(\.self)
        }
        return missing
    }

    /// With their room in the budget.
    private func bytes(
        of original: Originals.Original
    ) async throws -> (bytes: [UInt8], hold: ByteBudget.Hold?)? {
        if let bytes = original.bytes { return (bytes, original.hold) }
        let size = try await stages.blobs.byteCount(original.digest) ?? 0
        let hold = try await stages.originals.budget.reserve(size)
        return try await stages.blobs.load(original.digest).map { ($0, hold) }
    }

    private mutating func store(
        _ rendering: Rendering, of original: Originals.Original
    ) async throws -> [ThumbnailRecord] {
        var records: [ThumbnailRecord] = []
        let start = ContinuousClock.now
        defer { result.timings.store += ContinuousClock.now - start }
        let at = stages.now()
        for thumbnail in rendering.thumbnails {
            let digest = try await stages.blobs.keep(thumbnail.bytes)
            records.append(
                ThumbnailRecord(
                    key: stages.key(original.digest, thumbnail.rendition), digest: digest,
                    byteCount: thumbnail.bytes.count, width: thumbnail.width,
                    height: thumbnail.height, renderedAt: at))
            result.rendered[thumbnail.rendition] = Picture(
                digest: digest, bytes: thumbnail.bytes, format: thumbnail.rendition.format,
                width: thumbnail.width, height: thumbnail.height, renderedAt: at,
                freshUntil: freshUntil(original), failure: original.failure, isPlaceholder: false)
        }
        return records
    }

    /// The picture stays fresh as long as its original, and no longer than a better candidate's
    /// failure is remembered.
    private func freshUntil(_ original: Originals.Original) -> Date {
        failures.map(\.until).reduce(original.record.freshUntil, min)
    }

    private func bindings(
        to original: Originals.Original, levels wanted: Set<Rendition>
    ) -> [BindingRecord] {
        let trace = result.trace.encoded()
        return Set(wanted.map(\.level)).map { level in
            BindingRecord(
                item: item.description, level: level.key, original: original.digest,
                url: original.record.url, failure: original.failure.map(FailureRecord.init),
                trace: trace, resolvedAt: stages.now(), freshUntil: freshUntil(original))
        }
    }

    private mutating func fail(
        _ failure: Failure, _ label: String, _ url: String? = nil,
        _ outcome: Trace.Step.Outcome = .failed
    ) {
        failures.append(failure)
        result.trace.add(outcome, label, url: url, note: failure.reason)
    }

    /// Every candidate failed. What is stored stays bound unless all of them are gone by their source's
    /// own word.
    private mutating func conclude() async throws {
        let failure =
            Failure.combined(failures)
            ?? stages.originals.failure(.absent, "\(item.shown) has no picture.")
        result.failure = failure
        let levels = Set(orders.update { $0.renditions }.map(\.level))
        let known = try await stages.index.bindings(item: item.description)
        let bindings = levels.map { level in
            var binding = BindingRecord(
                item: item.description, level: level.key, original: nil, url: nil,
                failure: FailureRecord(failure), trace: result.trace.encoded(),
                resolvedAt: stages.now(), freshUntil: failure.until)
            let earlier = known.first { $0.level == level.key && $0.original != nil }
            if let earlier, failure.kind != .absent {
                binding.original = earlier.original
                binding.url = earlier.url
                binding.freshUntil = earlier.freshUntil
            }
            return binding
        }
        try await stages.index.record(thumbnails: [], bindings: bindings)
    }
}
