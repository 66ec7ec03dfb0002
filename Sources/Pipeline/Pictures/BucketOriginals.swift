import Catalog
import Fetch
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Objects
import Store

/// Gets the originals of buckets. The index has their digests with the store's validators, and the cache has a
/// copy only if the settings say so. An entity tag is no digest: bytes are compared with the digest of those
/// that were read.
struct BucketOriginals: Origin {
    let hasFiles = false
    let hasOnePlace = true
    let editions: Editions
    let blobs: BlobStore
    let index: Index
    let blocks: Blocks
    let maxBytes: Int
    /// Memory for originals in flight.
    let budget: ByteBudget
    let freshness: FreshnessPolicy
    let now: @Sendable () -> Date
    /// Which keys have an object.
    let names = BucketNames()

    private struct Request: Hashable {
        var item: Item
        var again: Bool
    }

    private let inFlight: InFlight<Request, Void, Result<Acquisition, any Error>>

    init(
        editions: Editions, blobs: BlobStore, index: Index, blocks: Blocks, maxBytes: Int,
        budget: ByteBudget, freshness: FreshnessPolicy, now: @escaping @Sendable () -> Date
    ) {
        self.editions = editions
        self.blobs = blobs
        self.index = index
        self.blocks = blocks
        self.maxBytes = maxBytes
        self.budget = budget
        self.freshness = freshness
        self.now = now
        inFlight = InFlight(on: blobs.executor) { _, _ in true }
    }

    func bucket(of item: Item) -> BucketSource? { editions.current.sources.bucket(item.source) }

    func keepsCopy(of item: Item) -> Bool { bucket(of: item)?.definition.keepsOriginals ?? false }

    func acquire(
        _ candidate: Candidate, of item: Item, by source: any Source, again: Bool,
        visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition {
        guard let source = source as? BucketSource else {
            return .failure(failure(.absent, "\(item.shown) has no picture."), asked: false)
        }
        return try await acquire(item, of: source, again: again, visit)
    }

    /// Returns the original of an item. It has one candidate, its object. Concurrent callers share a download.
    ///
    /// - Parameter again: gets the bytes, whatever is known of them.
    private func acquire(
        _ item: Item, of source: BucketSource, again: Bool, _ visit: AdmissionQueue.Visit? = nil
    ) async throws -> Acquisition {
        if let failure = blocks.failure(ofURL: source.url(of: item)) {
            return .failure(failure, asked: false)
        }
        let acquired = try await inFlight.made(for: Request(item: item, again: again)) { [self] in
            let known = try await index.original(url: source.url(of: item))
            if !again, let stored = stored(known) { return stored }
            return try await ask(item, of: source, known, again: again, visit)
        }.value
        switch acquired {
        case .original: names.note(item, .present)
        case .failure(let failure, _, _) where failure.kind == .absent:
            names.note(item, .absent(until: failure.until))
        case .failure: break
        }
        return acquired.unlessBlocked(blocks)
    }

    /// Returns what is known while it counts; nil if the bucket has to be asked.
    private func stored(_ known: OriginalRecord?) -> Acquisition? {
        guard let known else { return nil }
        if let failure = known.failure.flatMap(Failure.init) {
            let believed = freshness.believed(failure, now: now())
            guard believed.until > now() else { return nil }
            return stale(known, believed).map(Acquisition.original)
                ?? .failure(believed, asked: false)
        }
        guard let digest = known.digest, isFresh(known) else { return nil }
        return .original(
            Original(digest: digest, record: known, provenance: .stored, note: "stored"))
    }

    private func isFresh(_ known: OriginalRecord) -> Bool {
        freshness.believed(known.freshUntil, since: known.fetchedAt, now: now()) > now()
    }

    /// Returns the stored original, which stays in use while its bucket fails.
    private func stale(_ known: OriginalRecord, _ failure: Failure) -> Original? {
        guard failure.isTransient, failure.kind != .unfinished, let digest = known.digest else {
            return nil
        }
        return Original(
            digest: digest, record: known, provenance: .stale, failure: failure,
            note: "stored; \(failure.reason)")
    }

    private func ask(
        _ item: Item, of source: BucketSource, _ known: OriginalRecord?, again: Bool,
        _ visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition {
        let isConditional = !again && known?.digest != nil
        let validators = Validators(
            entityTag: isConditional ? known?.entityTag : nil,
            lastModified: isConditional ? known?.lastModified : nil)
        let response: FetchResponse
        do throws(BucketError) {
            response = try await source.bucket.get(item.id, limit: maxBytes) { [budget] request in
                request.validators = validators.isEmpty ? nil : validators
                request.permit = visit
                request.budget = budget
            }
        } catch {
            return try await fail(error, item, source, known)
        }
        let took = response.attempts.reduce(.zero) { $0 + $1.duration }
        let at = now()
        let freshUntil = freshUntil(response, source, at)
        if response.status == 304 {
            guard var record = known, let digest = record.digest else {
                return .failure(
                    failure(.unavailable, "The bucket answered 304 to a plain request."),
                    asked: true, took: took)
            }
            record.fetchedAt = at
            record.freshUntil = freshUntil
            record.entityTag = response.validators.entityTag ?? record.entityTag
            record.lastModified = response.validators.lastModified ?? record.lastModified
            if let failure = record.failure.flatMap(Failure.init), failure.kind == .rejected {
                // The same bytes are no picture either.
                let failure = lasting(failure, source)
                record.failure = FailureRecord(failure)
                try await index.record(record)
                return .failure(failure, asked: true, took: took)
            }
            record.failure = nil
            return .original(
                Original(
                    digest: digest, record: record, provenance: .revalidated, note: "304",
                    took: took))
        }
        let digest = Digest(of: response.body)
        var record = OriginalRecord(
            url: source.url(of: item), digest: digest, byteCount: response.body.count,
            entityTag: response.validators.entityTag,
            lastModified: response.validators.lastModified, fetchedAt: at, freshUntil: freshUntil)
        if let known, known.digest == digest, known.failure == nil {
            (record.width, record.height) = (known.width, known.height)
        }
        var original = Original(
            digest: digest, held: (response.body, response.hold), record: record,
            provenance: .fetched, note: FetchVerdict.note(response), took: took,
            bytesFetched: response.body.count, mayBeCut: response.endsWithConnection)
        original.isUnstored = source.definition.keepsOriginals
        original.visit = visit
        return .original(original)
    }

    /// Returns until when an object counts as unchanged. `private` of its `Cache-Control` is respected as that
    /// of any other origin, and nothing else of it.
    private func freshUntil(
        _ response: FetchResponse, _ source: BucketSource, _ now: Date
    ) -> Date {
        let told = freshness.freshUntil(
            { $0 == "cache-control" ? response.list($0) : response.header($0) }, at: now)
        return FreshnessPolicy.isPrivate(told) ? told : now.addingTimeInterval(source.recheck)
    }

    private func fail(
        _ error: BucketError, _ item: Item, _ source: BucketSource, _ known: OriginalRecord?
    ) async throws -> Acquisition {
        let took =
            error.attempts.isEmpty ? nil : error.attempts.reduce(.zero) { $0 + $1.duration }
        var failure: Failure
        switch error.kind {
        case .canceled: throw CancellationError()
        case .absent: failure = lasting(Failure(.absent, error.description), source)
        case .unusable:
            var reason = error.description
            if case .tooLarge(let limit)? = error.cause?.cause {
                reason = FetchVerdict.tooLarge(limit)
            }
            failure = lasting(Failure(.rejected, reason), source)
        case .unavailable: failure = self.failure(.unavailable, error.description)
        case .timedOut: failure = self.failure(.timedOut, error.description)
        }
        failure.cause = error
        try await index.record(
            OriginalRecord(
                url: source.url(of: item), fetchedAt: now(), freshUntil: now(),
                failure: FailureRecord(failure)))
        if var stale = known.flatMap({ stale($0, failure) }) {
            stale.took = took
            return .original(stale)
        }
        return .failure(failure, asked: true, took: took)
    }

    /// Returns a failure that counts until the object is asked for again.
    private func lasting(_ failure: Failure, _ source: BucketSource) -> Failure {
        var failure = failure
        let longest = freshness.lifetime(of: failure.kind)
        failure.until = now().addingTimeInterval(min(longest, source.recheck))
        return failure
    }

    private func failure(_ kind: Failure.Kind, _ reason: String) -> Failure {
        Failure(kind, reason, until: now().addingTimeInterval(freshness.lifetime(of: kind)))
    }

    /// Gets the object. Returns nil if its bytes have another digest now, or it is gone.
    func bytes(of original: Original, _ item: Item) async throws -> HeldBytes? {
        if let held = original.held { return held }
        guard let source = bucket(of: item) else { return nil }
        if source.definition.keepsOriginals,
            let size = try await blobs.byteCount(original.digest)
        {
            let hold = try await budget.reserve(size)
            if let bytes = try await blobs.load(original.digest) { return (bytes, hold) }
        }
        guard case .original(let fetched) = try await acquire(item, of: source, again: true),
            fetched.digest == original.digest
        else { return nil }
        return fetched.held
    }

    /// Remembers it as long as the object stays the same. The bytes keep their digest in the index, so that
    /// this is the record of these bytes.
    func reject(
        _ original: Original, of item: Item, reason: String
    ) async throws -> (failure: Failure, kept: Original?) {
        var failure = failure(original.mayBeCut ? .unfinished : .rejected, reason)
        if let source = bucket(of: item), failure.kind == .rejected {
            failure = lasting(failure, source)
        }
        var record = original.record
        record.failure = FailureRecord(failure)
        try await index.record(record)
        return (failure, nil)
    }

    // MARK: - Originals as they are

    /// Returns an item's object as a response sends it. What the index says of it is enough while it is fresh,
    /// unless its bytes are wanted.
    ///
    /// - Parameter wantsBytes: see ``Pictures/original(of:wantsBytes:)``.
    /// - Throws: ``Failure``
    func answer(
        _ item: Item, of source: BucketSource, _ wantsBytes: (Digest, Date) -> Bool
    ) async throws -> OriginalAnswer {
        let known = try await index.original(url: source.url(of: item))
        let knowsPicture = known?.digest != nil && known?.failure == nil
        if let known, let digest = known.digest, knowsPicture {
            let wants = wantsBytes(digest, Self.modified(known))
            if isFresh(known), let content = try await content(known, source, opens: wants) {
                return answer(known, digest, content, .hit)
            }
            if !wants {
                return try await answer(
                    try await acquire(item, of: source, again: false), item, source, wantsBytes)
            }
        } else if case .failure(let failure, _, _)? = stored(known) {
            throw failure
        }
        return try await answer(
            try await acquire(item, of: source, again: true), item, source, wantsBytes)
    }

    private func answer(
        _ acquired: Acquisition, _ item: Item, _ source: BucketSource,
        _ wantsBytes: (Digest, Date) -> Bool
    ) async throws -> OriginalAnswer {
        var original: Original
        switch acquired {
        case .failure(let failure, _, _): throw failure
        case .original(let acquired): original = acquired
        }
        if let held = original.held {
            guard let format = ImageFormat.ofFile(head: held.bytes) else {
                throw try await reject(original, of: item, reason: "The object is not a picture.")
                    .failure
            }
            original.record.format = format.rawValue
            if let blob = original.unstored { try await blobs.keep([blob]) }
        }
        if original.provenance != .stale { try await index.record(original.record) }
        let wants = wantsBytes(original.digest, Self.modified(original.record))
        let outcome = original.provenance == .stale ? CacheOutcome.stale : .miss
        if wants, let held = original.held {
            let blob = blobs.lend(original.digest, held.bytes, held.hold)
            return answer(original.record, original.digest, .open(blob), outcome)
        }
        guard let content = try await content(original.record, source, opens: wants) else {
            throw original.failure ?? failure(.unavailable, "The object changes all the time.")
        }
        return answer(original.record, original.digest, content, outcome)
    }

    /// Returns the size of an original, or its copy if it is wanted open; nil if there is no copy then.
    private func content(
        _ record: OriginalRecord, _ source: BucketSource, opens: Bool
    ) async throws -> BlobContent? {
        guard let digest = record.digest else { return nil }
        if !opens { return .size(record.byteCount, format: ImageFormat(rawValue: record.format)) }
        return source.definition.keepsOriginals
            ? try await blobs.open(digest).map(BlobContent.open) : nil
    }

    private func answer(
        _ record: OriginalRecord, _ digest: Digest, _ content: BlobContent, _ outcome: CacheOutcome
    ) -> OriginalAnswer {
        OriginalAnswer(
            digest: digest, content: content, fetchedAt: Self.modified(record),
            freshUntil: freshness.believed(record.freshUntil, since: record.fetchedAt, now: now()),
            isPrivate: FreshnessPolicy.isPrivate(record.freshUntil), outcome: outcome,
            wantsRefresh: false)
    }

    /// Returns when the store says that the object was changed.
    private static func modified(_ record: OriginalRecord) -> Date {
        record.lastModified.flatMap { HTTPDate.parse($0) } ?? record.fetchedAt
    }
}
