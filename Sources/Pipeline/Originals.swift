import Catalog
import Fetch
import FoundationEssentials
import Imaging
import Logging
import Store

/// Gets the original behind a URL: from the store while it is fresh, else from its origin, with the
/// validators kept, and remembers how it went.
struct Originals: Sendable {
    let fetch: any Fetching
    let blobs: BlobStore
    let index: Index
    let freshness: FreshnessPolicy
    let maxBytes: Int
    let now: @Sendable () -> Date

    /// An original that can be rendered.
    struct Original: Sendable {
        enum Origin: String, Sendable {
            case fetched, revalidated, stored, stale
        }

        var digest: Digest
        /// Where they were just fetched; else they are in the blob store.
        var bytes: [UInt8]?
        /// As it is to be recorded once the bytes proved to be a picture.
        var record: OriginalRecord
        var origin: Origin
        /// Why it could not be refreshed, where it is stale.
        var failure: Failure?
        /// What happened, in words.
        var note: String
        /// Bytes of body that came over the network for it.
        var bytesFetched = 0
        /// Holds the place that was taken for the bytes, where they were just fetched.
        var visit: AdmissionQueue.Visit?
    }

    enum Acquisition: Sendable {
        case original(Original)
        /// `asked` is false where an earlier failure was remembered.
        case failure(Failure, asked: Bool)
        case cancelled
    }

    private let inFlight = InFlight<String, Void, Result<Acquisition, any Error>> { _, _ in true }

    init(
        fetch: any Fetching, blobs: BlobStore, index: Index, freshness: FreshnessPolicy,
        maxBytes: Int, now: @escaping @Sendable () -> Date
    ) {
        self.fetch = fetch
        self.blobs = blobs
        self.index = index
        self.freshness = freshness
        self.maxBytes = maxBytes
        self.now = now
    }

    /// One download however many ask at once. `again` fetches anew although the record is fresh,
    /// for a blob that is gone. With a visit the download takes a place when its host lets it start.
    func acquire(
        _ url: String, hosts: [HostPattern], again: Bool = false,
        visit: AdmissionQueue.Visit? = nil
    ) async throws -> Acquisition {
        let landing = await inFlight.value(for: url, ()) { [self] _ in
            do {
                return .success(
                    try await lookUpOrFetch(url, hosts: hosts, again: again, visit))
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { return .cancelled }
        return try landing.value.get()
    }

    /// Remembers that the original's bytes turned out to be no good picture.
    func reject(_ original: Original, reason: String) async throws -> Failure {
        let failure = failure(.rejected, reason)
        if original.bytes != nil { try await blobs.remove(original.digest) }
        try await remember(failure, url: original.record.url)
        return failure
    }

    func failure(_ kind: Failure.Kind, _ reason: String) -> Failure {
        Failure(
            kind: kind, reason: reason,
            until: now().addingTimeInterval(freshness.lifetime(of: kind)))
    }

    private func lookUpOrFetch(
        _ url: String, hosts: [HostPattern], again: Bool, _ visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition {
        let known = try await index.original(url: url)
        if let known, let remembered = known.failure.flatMap(Failure.init), !again,
            remembered.until > now()
        {
            return keep(known, despite: remembered) ?? .failure(remembered, asked: false)
        }
        if let known, let digest = known.digest, known.freshUntil > now(), !again {
            return .original(
                Original(digest: digest, record: known, origin: .stored, note: "stored"))
        }
        return try await ask(url, hosts: hosts, known: again ? nil : known, visit)
    }

    private func ask(
        _ url: String, hosts: [HostPattern], known: OriginalRecord?,
        _ visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition {
        var request = FetchRequest(url: url, purpose: .original, maxBytes: maxBytes)
        request.allowedHosts = hosts
        request.permit = visit
        if let known, let digest = known.digest, try await blobs.contains(digest) {
            request.validators = Validators(
                entityTag: known.entityTag, lastModified: known.lastModified)
        }
        let response: FetchResponse
        do throws(FetchError) {
            response = try await fetch.fetch(request)
        } catch {
            guard let kind = FetchVerdict.kind(of: error) else { return .cancelled }
            return try await fail(failure(kind, "\(error)"), url: url, known: known)
        }
        let acquisition = try await judge(response, url: url, known: known)
        guard case .original(var original) = acquisition, original.bytes != nil else {
            return acquisition
        }
        original.visit = visit
        return .original(original)
    }

    private func judge(
        _ response: FetchResponse, url: String, known: OriginalRecord?
    ) async throws -> Acquisition {
        let at = now()
        let freshUntil = at.addingTimeInterval(freshness.lifetime { response.header($0) })
        switch FetchVerdict(status: response.status) {
        case .notModified:
            guard var record = known, let digest = record.digest else {
                return try await fail(
                    failure(.unavailable, "The origin answered 304 although nothing was stored."),
                    url: url, known: known)
            }
            record.fetchedAt = at
            record.freshUntil = freshUntil
            record.entityTag = response.validators.entityTag ?? record.entityTag
            record.lastModified = response.validators.lastModified ?? record.lastModified
            record.failure = nil
            return .original(
                Original(digest: digest, record: record, origin: .revalidated, note: "304"))
        case .picture:
            let digest = try await blobs.put(response.body)
            var record = OriginalRecord(url: url, fetchedAt: at, freshUntil: freshUntil)
            record.digest = digest
            record.byteCount = response.body.count
            record.entityTag = response.validators.entityTag
            record.lastModified = response.validators.lastModified
            return .original(
                Original(
                    digest: digest, bytes: response.body, record: record, origin: .fetched,
                    note: FetchVerdict.note(response), bytesFetched: response.body.count))
        case .failed(let kind):
            let reason = "The origin answered \(FetchVerdict.note(response))."
            return try await fail(failure(kind, reason), url: url, known: known)
        }
    }

    private func fail(
        _ failure: Failure, url: String, known: OriginalRecord?
    ) async throws -> Acquisition {
        try await remember(failure, url: url)
        return known.flatMap { keep($0, despite: failure) } ?? .failure(failure, asked: true)
    }

    /// What is stored goes on being used while its origin can't be asked; where the origin says that
    /// the picture is gone, or gives something else, the chain goes on.
    private func keep(_ known: OriginalRecord, despite failure: Failure) -> Acquisition? {
        guard let digest = known.digest, failure.isTransient || failure.kind == .rejected else {
            return nil
        }
        return .original(
            Original(
                digest: digest, record: known, origin: .stale, failure: failure,
                note: "stored; \(failure.reason)"))
    }

    private func remember(_ failure: Failure, url: String) async throws {
        var record = OriginalRecord(url: url, fetchedAt: now(), freshUntil: now())
        record.failure = FailureRecord(failure)
        try await index.record(record)
    }
}
