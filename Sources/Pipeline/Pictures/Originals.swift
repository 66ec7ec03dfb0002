import Catalog
import Fetch
import FoundationEssentials
import Hashing
import Imaging
import Logging
import Memory
import Store

/// Gets the original at a URL from the store while it is fresh, else from its origin with the
/// stored validators. Remembers failures.
struct Originals: Origin {
    let hasFiles = false
    let fetch: any Fetching
    let metrics: PipelineMetrics
    let blobs: BlobStore
    let index: Index
    let blocks: Blocks
    let freshness: FreshnessPolicy
    let maxBytes: Int
    /// Memory for originals in flight.
    let budget: ByteBudget
    let logger: Logger
    let now: @Sendable () -> Date
    /// Returns whether the original of a miss will be rendered within moments.
    private let rendersSoon: @Sendable () -> Bool

    /// A URL with the hosts that its source allows. A URL that one source may not contact may be
    /// allowed for another.
    private struct Request: Hashable {
        var url: String
        var hosts: [HostPattern]
        var fields: [RequestField] = []
        var plainIsInside: Bool
        var again: Bool
    }

    private let inFlight: InFlight<Request, Void, Result<Acquisition, any Error>>
    /// Refused URLs by source, and those that led to blocked bytes. They are not stored, because other sources
    /// and other settings may allow them.
    private let refusals = MemoryTier<Request, Failure>(maxCost: 10_000, maxCount: 10_000)

    init(
        fetch: any Fetching, metrics: PipelineMetrics, blobs: BlobStore, index: Index,
        blocks: Blocks,
        freshness: FreshnessPolicy, maxBytes: Int, budget: ByteBudget,
        logger: Logger = Logger(label: "vitrine") { _ in SwiftLogNoOpLogHandler() },
        rendersSoon: @escaping @Sendable () -> Bool = { false },
        now: @escaping @Sendable () -> Date
    ) {
        self.fetch = fetch
        self.metrics = metrics
        self.blobs = blobs
        self.index = index
        self.blocks = blocks
        self.freshness = freshness
        self.maxBytes = maxBytes
        self.budget = budget
        self.logger = logger
        self.rendersSoon = rendersSoon
        inFlight = InFlight(on: blobs.executor) { _, _ in true }
        self.now = now
    }

    func acquire(
        _ candidate: Candidate, of _: Item, by source: any Source, again: Bool,
        visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition {
        try await acquire(
            candidate.url, hosts: source.imageHosts,
            fields: source.fields(forPicture: candidate.url),
            plainIsInside: source.plainIsInside, again: again, visit: visit,
            isForMiss: true)
    }

    /// Returns the original at a URL. Concurrent callers of one source share a download.
    ///
    /// - Parameters:
    ///   - fields: sent with the request, to this host only.
    ///   - plainIsInside: See ``Source/plainIsInside``.
    ///   - again: Fetches although the record is fresh, because its blob is gone.
    ///   - visit: The download takes a place through it when its host allows it to start.
    ///   - isForMiss: Whether a new original may be stored later, with the thumbnails that a miss makes of it
    ///     within moments.
    /// - Throws: ``StoreError`` if the store can't be read or written.
    func acquire(
        _ url: String, hosts: [HostPattern], fields: [RequestField] = [],
        plainIsInside: Bool = false, again: Bool = false,
        visit: AdmissionQueue.Visit? = nil, isForMiss: Bool = false
    ) async throws -> Acquisition {
        if let failure = blocks.failure(ofURL: url) { return .failure(failure, asked: false) }
        let request = Request(
            url: url, hosts: hosts, fields: fields, plainIsInside: plainIsInside, again: again)
        let acquired = try await inFlight.made(for: request) { [self] in
            try await lookUpOrFetch(request, visit, isForMiss)
        }.value
        return acquired.unlessBlocked(blocks)
    }

    /// Forgets which URLs led to blocked bytes.
    func forgetBlocked() { refusals.removeAll { _ in true } }

    func reject(
        _ original: Original, of _: Item, reason: String
    ) async throws -> (failure: Failure, kept: Original?) {
        let failure = failure(original.mayBeCut ? .unfinished : .rejected, reason)
        let url = original.record.url
        let isUnproven = original.record.isUnproven
        if isUnproven { try await index.withdraw(original.digest, of: url) }
        try await settle(original)
        try await remember(failure, url: url)
        guard original.provenance == .fetched || isUnproven else { return (failure, nil) }
        // Another URL may have the same bytes.
        if !original.isUnstored, try await !index.names(original.digest) {
            try await blobs.remove(original.digest)
        }
        guard let known = try await index.original(url: url), known.digest != original.digest else {
            return (failure, nil)
        }
        return (failure, stale(known, failure))
    }

    /// Stores an original that is not rendered now, so that no later run downloads it again. Returns it
    /// without its bytes, and without its place.
    func kept(_ original: Original) async throws -> Original {
        var kept = original
        try await storeUnrendered(&kept)
        (kept.held, kept.visit, kept.claim) = (nil, nil, nil)
        return kept
    }

    func bytes(of original: Original, _: Item) async throws -> HeldBytes? {
        if let held = original.held { return held }
        let size = try await blobs.byteCount(original.digest) ?? 0
        let hold = try await budget.reserve(size)
        return try await blobs.load(original.digest).map { ($0, hold) }
    }

    func failure(_ kind: Failure.Kind, _ reason: String) -> Failure {
        remembered(Failure(kind, reason))
    }

    /// Returns the failure with the expiry of its kind.
    func remembered(_ failure: Failure) -> Failure {
        var failure = failure
        failure.until = now().addingTimeInterval(freshness.lifetime(of: failure.kind))
        return failure
    }

    private func lookUpOrFetch(
        _ request: Request, _ visit: AdmissionQueue.Visit?, _ isForMiss: Bool
    ) async throws -> Acquisition {
        // A source gets no stored original from a host that it must not contact.
        guard isAllowed(request) else { return try await ask(request, known: nil, visit) }
        let key = "url:" + request.url
        // Taken before the look, so that no other process fetches it in between. A stored original is there
        // for all, even if another process has the claim.
        var claim = index.claims.claimNow(key)
        var known = try await index.original(url: request.url)
        if !request.again, let stored = stored(known, request) { return stored }
        if claim == nil {
            claim = try await index.claims.claim(key)
            // Another process may have fetched it before the claim was free.
            known = try await index.original(url: request.url)
            if !request.again, let stored = stored(known, request) { return stored }
        }
        if known?.digest != nil, var arrived = try await unrendered(request.url) {
            arrived.claim = claim
            return .original(arrived)
        }
        if request.again, let known, let digest = known.digest, try await blobs.contains(digest) {
            return .original(
                Original(digest: digest, record: known, provenance: .stored, note: "stored"))
        }
        let acquisition = try await ask(request, known: request.again ? nil : known, visit)
        guard case .original(var original) = acquisition else { return acquisition }
        original.claim = claim
        let isSoonStored = isForMiss && known?.digest == nil && rendersSoon()
        if original.isUnstored, !isSoonStored {
            try await store(&original, replacing: known, again: request.again)
        }
        return .original(original)
    }

    /// Returns the stored original if it is fresh, or what a remembered failure leaves; nil if the
    /// origin has to be asked.
    private func stored(_ known: OriginalRecord?, _ request: Request) -> Acquisition? {
        if let remembered = refusals.value(request) ?? known.flatMap(remembered),
            remembered.until > now()
        {
            return keep(known, despite: remembered) ?? .failure(remembered, asked: false)
        }
        if let known, let digest = known.digest,
            freshness.believed(known.freshUntil, since: known.fetchedAt, now: now()) > now()
        {
            return .original(
                Original(digest: digest, record: known, provenance: .stored, note: "stored"))
        }
        return nil
    }

    /// Returns whether the bytes at a URL are these, by what is known. It is not known once their freshness
    /// has ended, unless a failed refresh is remembered.
    func isCurrent(_ original: Digest, at url: String) async throws -> Bool {
        if let known = try await index.original(url: url), known.digest == original {
            let until = freshness.believed(known.freshUntil, since: known.fetchedAt, now: now())
            return max(until, remembered(known)?.until ?? until) > now()
        }
        return try await unrendered(url)?.digest == original
    }

    /// Returns the failure of the last attempt, with a plausible expiry, which may have passed.
    func remembered(_ record: OriginalRecord) -> Failure? {
        guard let failure = record.failure.flatMap(Failure.init), failure.kind != .refused else {
            return nil
        }
        return freshness.believed(failure, now: now())
    }

    private func isAllowed(_ request: Request) -> Bool {
        guard let host = HostNames.host(of: request.url) else { return false }
        return request.hosts.contains { $0.matches(host) }
    }

    private func ask(
        _ asked: Request, known: OriginalRecord?, _ visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition {
        var request = FetchRequest(url: asked.url, purpose: .original, maxBytes: maxBytes)
        request.allowedHosts = asked.hosts
        request.plainIsInside = asked.plainIsInside
        request.headers = asked.fields.map { ($0.name, $0.value.reveal()) }
        request.permit = visit
        request.budget = budget
        if let known, let digest = known.digest, try await blobs.contains(digest) {
            request.validators = Validators(
                entityTag: known.entityTag, lastModified: known.lastModified)
        }
        let response: FetchResponse
        do throws(FetchError) {
            response = try await metrics.counting(request, by: fetch)
        } catch {
            guard let kind = FetchVerdict.kind(of: error) else { throw CancellationError() }
            var failure = failure(kind, FetchVerdict.reason(error))
            failure.cause = error
            if FetchVerdict.isMomentaryRefusal(error) {
                failure.until = now().addingTimeInterval(freshness.lifetime(of: .unavailable))
            }
            return try await fail(failure, asked, known: known, Self.time(of: error.attempts))
        }
        let acquisition = try await judge(response, asked, known: known)
        guard case .original(var original) = acquisition, original.held != nil else {
            return acquisition
        }
        original.visit = visit
        return .original(original)
    }

    private func judge(
        _ response: FetchResponse, _ asked: Request, known: OriginalRecord?
    ) async throws -> Acquisition {
        let url = asked.url
        let took = Self.time(of: response.attempts)
        let at = now()
        let freshUntil = freshness.freshUntil(
            { $0 == "cache-control" ? response.list($0) : response.header($0) }, at: at)
        switch FetchVerdict(response) {
        case .notModified:
            guard var record = known, let digest = record.digest else {
                return try await fail(
                    failure(.unavailable, "The origin answered 304 although nothing was stored."),
                    asked, known: known, took)
            }
            record.fetchedAt = at
            record.freshUntil = freshUntil
            record.entityTag = response.validators.entityTag ?? record.entityTag
            record.lastModified = response.validators.lastModified ?? record.lastModified
            record.failure = nil
            return .original(
                Original(
                    digest: digest, record: record, provenance: .revalidated, note: "304",
                    took: took))
        case .picture:
            let digest = Digest(of: response.body)
            if let block = blocks.failure(of: digest) {
                return try await fail(block, asked, known: known, took)
            }
            let record = OriginalRecord(
                url: url, digest: digest, byteCount: response.body.count,
                entityTag: response.validators.entityTag,
                lastModified: response.validators.lastModified, fetchedAt: at,
                freshUntil: freshUntil)
            return .original(
                Original(
                    digest: digest, held: (response.body, response.hold), record: record,
                    provenance: .fetched, note: FetchVerdict.note(response), took: took,
                    bytesFetched: response.body.count, mayBeCut: response.endsWithConnection,
                    isUnstored: true))
        case .failed(var kind):
            if kind == .absent, known?.digest != nil, !isOwnWord(response, asked) {
                kind = .unavailable
            }
            let reason = "The origin answered \(FetchVerdict.note(response))."
            return try await fail(failure(kind, reason), asked, known: known, took)
        }
    }

    /// Returns whether the source itself answered. If any host is allowed, the response may come
    /// from a captive portal.
    private func isOwnWord(_ response: FetchResponse, _ asked: Request) -> Bool {
        guard asked.hosts.contains(where: { $0.description == "*" }) else { return true }
        return HostNames.host(of: response.url) == HostNames.host(of: asked.url)
    }

    private func fail(
        _ failure: Failure, _ asked: Request, known: OriginalRecord?, _ took: Duration?
    ) async throws -> Acquisition {
        if failure.kind == .refused || failure.isOfBlock {
            refusals.insert(
                failure,
                for: Request(
                    url: asked.url, hosts: asked.hosts, fields: asked.fields,
                    plainIsInside: asked.plainIsInside, again: false), cost: 1)
        } else {
            try await remember(failure, url: asked.url)
        }
        if case .original(var original)? = keep(known, despite: failure) {
            original.took = took
            return .original(original)
        }
        return .failure(failure, asked: true, took: took)
    }

    /// Returns nil if the origin was not reached for.
    private static func time(of attempts: [FetchAttempt]) -> Duration? {
        attempts.isEmpty ? nil : attempts.reduce(.zero) { $0 + $1.duration }
    }

    /// Returns the stored original, which stays in use after any failure but one: if the source
    /// says that it has no picture, this returns nil and the chain continues.
    private func keep(_ known: OriginalRecord?, despite failure: Failure) -> Acquisition? {
        guard failure.kind != .absent, !failure.isOfBlock else { return nil }
        return known.flatMap { stale($0, failure) }.map(Acquisition.original)
    }

    private func stale(_ known: OriginalRecord, _ failure: Failure) -> Original? {
        let isOfBytes = failure.kind == .rejected || failure.kind == .unfinished
        guard let digest = known.digest, !isOfBytes || !known.isUnproven else { return nil }
        return Original(
            digest: digest, record: known, provenance: .stale, failure: failure,
            note: "stored; \(failure.reason)")
    }

    private func remember(_ failure: Failure, url: String) async throws {
        try await index.record(
            OriginalRecord(
                url: url, fetchedAt: now(), freshUntil: now(), failure: FailureRecord(failure)))
    }
}
