import Catalog
import Folders
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store
import Threads

/// Gets the originals of folders. They stay where they are: the index has their digests, with the
/// attributes that their files had then, and the cache has no copy.
struct FolderOriginals: Origin {
    let hasFiles = true
    let editions: Editions
    let blobs: BlobStore
    let index: Index
    let blocks: Blocks
    let maxBytes: Int
    /// Memory for originals in flight.
    let budget: ByteBudget
    let freshness: FreshnessPolicy
    let now: @Sendable () -> Date
    /// Changes in folders that were reported since the start.
    let changes = Counter()

    /// How often a file is read that changes meanwhile.
    private static let attempts = 3
    /// Seconds after a change in which a file may be in the middle of being written.
    private static let youth = 60

    /// What the index knows of a file.
    enum State: Sendable, Equatable {
        /// The original is the same, with these bytes.
        case unchanged(Digest)
        /// The file is as it was when it turned out to be no usable picture.
        case rejected
        /// It is new, was changed, or is gone.
        case changed
    }

    func folder(of item: Item) -> FolderSource? {
        editions.current.sources.folder(item.source)
    }

    /// Returns whether a picture of an item may stay in memory: every change of its original drops it, and
    /// one that is not reported yet will. Never waits.
    func mayKeep(_ item: Item) -> Bool {
        folder(of: item).map { $0.files.isUnchanged(item.id) } ?? true
    }

    /// Looks at an item's file; nil for an item of another source.
    func state(of item: Item) async throws -> State? {
        guard let folder = folder(of: item) else { return nil }
        let facts: FileFacts
        do throws(FolderError) {
            facts = try await look(item, in: folder)
        } catch {
            return .changed
        }
        guard let known = try await index.original(url: folder.url(of: item)),
            known.entityTag == facts.stamp
        else { return .changed }
        if let failure = known.failure.flatMap(Failure.init) {
            return freshness.believed(failure, now: now()).until > now() ? .rejected : .changed
        }
        return known.digest.map { .unchanged($0) } ?? .changed
    }

    /// Returns when an original that was looked at now is looked at again.
    func freshUntil(_ folder: FolderSource) -> Date { now().addingTimeInterval(folder.recheck) }

    func acquire(
        _ candidate: Candidate, of item: Item, by source: any Source, again: Bool,
        visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition {
        try await original(of: item, by: source).unlessBlocked(blocks)
    }

    /// Returns the original of an item, with its bytes if they are new. It has one candidate, its file.
    private func original(of item: Item, by source: any Source) async throws -> Acquisition {
        guard let folder = source as? FolderSource else {
            return .failure(failure(.notFound), asked: false)
        }
        let url = folder.url(of: item)
        let known = try await index.original(url: url)
        do {
            let facts = try await look(item, in: folder)
            if let known, known.entityTag == facts.stamp {
                if let failure = known.failure.flatMap(Failure.init) {
                    let believed = freshness.believed(failure, now: now())
                    if believed.until > now() {
                        return .failure(told(believed, facts, folder), asked: false)
                    }
                } else if let digest = known.digest {
                    return .original(unchanged(known, digest, folder))
                }
            }
            return .original(try await read(item, of: folder, known))
        } catch let error as FolderError {
            return .failure(failure(error), asked: true)
        }
    }

    private func unchanged(
        _ known: OriginalRecord, _ digest: Digest, _ folder: FolderSource
    ) -> Original {
        var record = known
        record.fetchedAt = now()
        record.freshUntil = freshUntil(folder)
        return Original(
            digest: digest, record: record, provenance: .revalidated, note: "unchanged")
    }

    /// Reads the item's file. Returns nil if its bytes have another digest now, or it is gone.
    func bytes(of original: Original, _ item: Item) async throws -> HeldBytes? {
        if let held = original.held { return held }
        guard let folder = folder(of: item) else { return nil }
        do {
            let read = try await bytes(item, of: folder)
            return read.digest == original.digest ? read.held : nil
        } catch is FolderError {
            return nil
        }
    }

    private func read(
        _ item: Item, of folder: FolderSource, _ known: OriginalRecord?
    ) async throws -> Original {
        let start = ContinuousClock.now
        let read = try await bytes(item, of: folder)
        let took = ContinuousClock.now - start
        var record = OriginalRecord(
            url: folder.url(of: item), digest: read.digest, byteCount: read.held.bytes.count,
            format: ImageFormat.ofFile(head: read.held.bytes)?.rawValue ?? "", fetchedAt: now(),
            freshUntil: freshUntil(folder))
        if let known, known.digest == read.digest {
            (record.width, record.height) = (known.width, known.height)
        }
        // A change in the same tick of the file system's clock would not show.
        record.entityTag = read.facts.isSettled ? read.facts.stamp : nil
        return Original(
            digest: read.digest, held: read.held, record: record,
            provenance: .fetched, note: "read", took: took)
    }

    private func bytes(
        _ item: Item, of folder: FolderSource
    ) async throws -> (held: HeldBytes, digest: Digest, facts: FileFacts) {
        var attempt = 1
        while true {
            let file = try await open(item, in: folder)
            guard file.facts.size <= maxBytes else { throw FolderError.tooLarge(limit: maxBytes) }
            let hold = try await budget.reserve(file.facts.size)
            do throws(FolderError) {
                let (bytes, digest) = try await FileThreads.run {
                    [maxBytes] () throws(FolderError) in
                    let bytes = try file.bytes(limit: maxBytes)
                    return (bytes, Digest(of: bytes))
                }
                return ((bytes, hold), digest, file.facts)
            } catch {
                guard error == .busy, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Remembers it until the file is changed. The bytes keep their digest in the index, so that this is the
    /// record of these bytes.
    func reject(
        _ original: Original, of item: Item, reason: String
    ) async throws -> (failure: Failure, kept: Original?) {
        var failure = Failure(.rejected, reason)
        failure.until = now().addingTimeInterval(freshness.lifetime(of: .rejected))
        var record = original.record
        record.failure = FailureRecord(failure)
        try await index.record(record)
        guard let folder = folder(of: item) else { return (failure, nil) }
        return (told(failure, try await facts(of: original, item, folder), folder), nil)
    }

    /// Returns the attributes of the file that an original was read from; nil if it has changed since then.
    private func facts(
        of original: Original, _ item: Item, _ folder: FolderSource
    ) async throws -> FileFacts? {
        do throws(FolderError) {
            let facts = try await look(item, in: folder)
            return facts.stamp == original.record.entityTag ? facts : nil
        } catch {
            return nil
        }
    }

    /// Returns a failure as clients hear of it. This service believes it until the file is changed, which clients
    /// don't notice: they ask again as for a picture, or at once while the file may be in the middle of being
    /// written.
    ///
    /// - Parameter facts: nil for a file that has changed since it was read.
    private func told(_ failure: Failure, _ facts: FileFacts?, _ folder: FolderSource) -> Failure {
        var told = failure
        if let facts, !facts.wasChanged(within: Self.youth, before: now()) {
            told.until = min(failure.until, freshUntil(folder))
        } else {
            (told.kind, told.until) = (.unfinished, now())
        }
        return told
    }

    private func look(
        _ item: Item, in folder: FolderSource
    ) async throws(FolderError) -> FileFacts {
        try await FileThreads.run { () throws(FolderError) in try folder.files.look(item.id) }
    }

    private func open(
        _ item: Item, in folder: FolderSource
    ) async throws(FolderError) -> FolderFile {
        try await FileThreads.run { () throws(FolderError) in try folder.files.open(item.id) }
    }

    /// A failure is not remembered: looking at the file again costs no more than remembering.
    private func failure(_ error: FolderError) -> Failure {
        let kind: Failure.Kind
        var reason = "\(error)"
        switch error {
        case .notFound: kind = .absent
        case .tooLarge(let limit): (kind, reason) = (.rejected, FetchVerdict.tooLarge(limit))
        case .busy, .unsupported, .noFolder, .unreadable: kind = .unavailable
        }
        return Failure(kind, reason, until: now(), cause: error)
    }

    // MARK: - Originals as they are

    /// Returns an item's file as a response sends it.
    ///
    /// - Parameter wantsBytes: see ``Pictures/original(of:wantsBytes:)``.
    /// - Throws: ``Failure``
    func answer(
        _ item: Item, of folder: FolderSource, _ wantsBytes: (Digest, Date) -> Bool
    ) async throws -> OriginalAnswer {
        // Before the file is opened, because the response may wait with it for memory.
        let hold = try await blobs.reserveFile()
        let file: FolderFile
        do throws(FolderError) {
            file = try await open(item, in: folder)
        } catch {
            throw failure(error)
        }
        let url = folder.url(of: item)
        var known = try await index.original(url: url)
        if known?.entityTag != file.facts.stamp || known?.digest == nil {
            known = try await hashed(file, url, folder)
        }
        guard let known, let digest = known.digest else {
            throw failure(.notFound)
        }
        let format = ImageFormat(rawValue: known.format)
        guard format != nil else {
            throw Failure(.rejected, "The file is not a picture.", until: now())
        }
        let modified = Date(timeIntervalSince1970: Double(file.facts.modified) / 1e9)
        func answer(_ content: BlobContent) -> OriginalAnswer {
            OriginalAnswer(
                digest: digest, content: content, fetchedAt: modified,
                freshUntil: freshUntil(folder), isPrivate: false, outcome: .hit,
                wantsRefresh: false)
        }
        guard wantsBytes(digest, modified) else {
            return answer(.size(file.facts.size, format: format))
        }
        guard
            let blob = try await blobs.adopt(
                file.descriptor, as: digest, byteCount: file.facts.size, hold),
            file.isUnchanged
        else { throw failure(.busy) }
        return answer(.open(blob))
    }

    /// Returns the record of an open file, with its digest.
    private func hashed(
        _ file: FolderFile, _ url: String, _ folder: FolderSource
    ) async throws -> OriginalRecord {
        guard file.facts.size <= maxBytes else { throw failure(.tooLarge(limit: maxBytes)) }
        let hold = try await budget.reserve(file.facts.size)
        defer { withExtendedLifetime(hold) {} }
        var record = OriginalRecord(url: url, fetchedAt: now(), freshUntil: freshUntil(folder))
        do throws(FolderError) {
            let (digest, format) = try await FileThreads.run {
                [maxBytes] () throws(FolderError) in
                let bytes = try file.bytes(limit: maxBytes)
                return (Digest(of: bytes), ImageFormat.ofFile(head: bytes))
            }
            record.digest = digest
            record.format = format?.rawValue ?? ""
        } catch {
            throw failure(error)
        }
        record.byteCount = file.facts.size
        record.entityTag = file.facts.isSettled ? file.facts.stamp : nil
        if !record.format.isEmpty { try await index.record(record) }
        return record
    }
}
