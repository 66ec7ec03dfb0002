import Folders
package import FoundationEssentials
import Glibc
import Synchronization
import Threads

/// A list and its index, which is made again when the list changes. Until that is done, the old one answers.
/// Thread-safe.
package final class ListFile: Sendable {
    /// Returns why a list on this machine can't be read, in a sentence; nil if it can, and for a list on a server.
    /// Looks at the file.
    package static func shortcoming(of definition: ListDefinition) -> String? {
        let place = definition.place
        if definition.isRemote || ListStamp(place, 0) != nil && access(place, R_OK) == 0 {
            return nil
        }
        return "The list “\(definition.name)” can't be read. \(ListStamp.shortcoming(place))"
    }

    /// Returns whether an earlier reading of a list is stored, which answers while the list can't be read.
    ///
    /// - Parameter directory: where the index was made.
    package static func isIndexed(_ definition: ListDefinition, in directory: String) -> Bool {
        // A damaged one counts as none: it can't answer.
        (try? ListIndex.stored(at: "\(directory)/\(definition.name).index")) != nil
    }

    /// Readings that a caller waits for while the list changes again and again.
    private static let mostReadings = 3
    /// Seconds before a list that could not be read is read again: the disk may have been full.
    private static let retry: Double = 30

    private struct State {
        var index: ListIndex?
        /// The stamp that is being read, or could not be.
        var reading: ListStamp?
        var isReading = false
        var readingSince = Date.distantPast
        /// Why the list of that stamp can't be read.
        var failure: UnreadableList?
        var failedAt = Date.distantPast
        var lastNumber = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var known = KnownRows()
        /// What was reported of a damaged index, until there is a sound one.
        var reportedDamage: ListIndex.Damage?

        /// Whether the list of that stamp could not be read moments ago.
        func hasFailed(_ stamp: ListStamp, at now: Date) -> Bool {
            failure != nil && reading == stamp
                && abs(now.timeIntervalSince(failedAt)) < ListFile.retry
        }
    }

    /// URLs of rows that were asked for, for hits.
    private struct KnownRows {
        /// Bytes of ids and URLs: some thousand rows, which take less than a single picture would.
        static let most = 1 << 20

        /// The list that has these rows; nil if its changes may show late, on a server's disk.
        var stamp: ListStamp?
        var urls: [String: String] = [:]
        var bytes = 0

        mutating func add(_ id: String, _ url: String) {
            if bytes >= Self.most { (urls, bytes) = ([:], 0) }
            if urls.updateValue(url, forKey: id) == nil { bytes += id.utf8.count + url.utf8.count }
        }
    }

    package let definition: ListDefinition
    /// The list on this machine; of one on a server, the copy.
    package let path: String
    private let indexPath: String
    private let directory: String
    private let patience: Duration?
    private let now: @Sendable () -> Date
    private let report: @Sendable (String) -> Void
    /// Of the columns, in stamps.
    private let reading: UInt64
    /// Nil for a list on this machine.
    private let copy: ListCopy?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - directory: where the index is made.
    ///   - patience: how long after a change callers wait for the new index while an old one answers; nil as
    ///     long as it takes.
    ///   - report: gets a sentence when a changed list can't be read.
    package init(
        _ definition: ListDefinition, directory: String, patience: Duration? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (String) -> Void
    ) {
        self.definition = definition
        self.directory = directory
        self.patience = patience
        self.now = now
        self.report = report
        reading = ListStamp.reading(definition.columns)
        indexPath = "\(directory)/\(definition.name).index"
        path = definition.isRemote ? "\(directory)/\(definition.name).list" : definition.place
        copy =
            definition.isRemote
            ? ListCopy(definition, path, directory: directory, now: now, report: report) : nil
    }

    /// Returns what `body` reads in the index of the list as it is now, or in the last one while a new one is
    /// made or can't be.
    ///
    /// - Parameter api: fetches a list on a server; nil reads the copy on this machine.
    /// - Throws: ``Failure`` of kind `sourceUnavailable` if there is none.
    func read<Value: Sendable>(
        _ api: (any APIReading)?, _ body: @escaping @Sendable (ListIndex) -> Value
    ) async throws(Failure) -> Value {
        if let copy, let api { try await fetch(copy, api) }
        for _ in 0..<Self.mostReadings {
            let known = state.withLock { $0.index }
            let (stamp, found) = await Self.onThread { [path, reading] () -> (ListStamp?, Value?) in
                let stamp = ListStamp(path, reading)
                return (stamp, stamp == nil || known?.head.stamp != stamp ? nil : known.map(body))
            }
            let (index, value): (ListIndex, Value)
            if let known, let found {
                (index, value) = (known, found)
            } else {
                index = try await self.index(stamp)
                value = await Self.onThread { [index] in body(index) }
            }
            // What a damaged part left out is not taken for missing.
            guard let damage = index.foundDamage else { return value }
            await drop(index, damage)
        }
        throw .unavailable(
            reason:
                "The list “\(definition.name)” can't be read. Its index \(definition.name).index is "
                + "damaged whenever it is made. Check the disk.")
    }

    /// Forgets a damaged index and removes its file, so that it is made again.
    private func drop(_ index: ListIndex, _ damage: ListIndex.Damage) async {
        await Self.onThread { [indexPath] in index.remove(indexPath) }
        state.withLock { if $0.index === index { $0.index = nil } }
        report(damage)
    }

    private func report(_ damage: ListIndex.Damage) {
        let isNew = state.withLock { state in
            defer { state.reportedDamage = damage }
            return state.reportedDamage != damage
        }
        guard isNew else { return }
        report(
            "The index \(indexPath) of the list “\(definition.name)” is damaged: \(damage.reason). "
                + "It is made again.")
    }

    /// Returns how many rows the list has, by the copy on this machine.
    ///
    /// - Throws: as ``read(_:_:)`` does.
    package func rows() async throws(Failure) -> ListedRows {
        try await read(nil) { $0.head.listedRows }
    }

    /// Returns the row with this id; nil if the list does not have it.
    ///
    /// - Throws: as ``read(_:_:)`` does.
    func picture(
        _ id: String, _ api: (any APIReading)?
    ) async throws(Failure) -> ListedPicture? {
        let known = state.withLock { $0.known.stamp }
        let (picture, stamp) = try await read(api) { [path] index in
            let stamp = index.head.stamp
            let isNoticed = stamp == known || FileFacts.areLocal(path)
            return (index.picture(id), isNoticed ? stamp : nil)
        }
        state.withLock { state in
            if state.known.stamp != stamp {
                state.known = KnownRows()
                state.known.stamp = stamp
            }
            if stamp != nil, let picture { state.known.add(id, picture.place) }
        }
        return picture
    }

    /// Returns the URL of a row that was asked for before, if the list is as it was then; never waits for more
    /// than a look at the file's attributes.
    func knownURL(_ id: String) -> String? {
        if copy?.isDue == true { return nil }
        let (url, stamp) = state.withLock { ($0.known.urls[id], $0.known.stamp) }
        guard let url, ListStamp(path, reading) == stamp else { return nil }
        return url
    }

    private func index(_ stamp: ListStamp?) async throws(Failure) -> ListIndex {
        var stamp = stamp
        for _ in 0..<Self.mostReadings {
            guard let wanted = stamp else {
                _ = await takeStored()
                let shortcoming = await Self.onThread { [path] in ListStamp.shortcoming(path) }
                return try last(or: copy?.failure?.reason ?? shortcoming)
            }
            if let index = await ready(wanted) { return index }
            start(wanted)
            let limit = remainingPatience
            await waitForReading(atMost: limit)
            if limit != nil { break }
            // Another caller may have had an older list read.
            stamp = await Self.onThread { [path, reading] in ListStamp(path, reading) }
        }
        return try last(or: "\(definition.shownPlace) can't be read.")
    }

    /// Returns the index if it is of that stamp, as another process may have made it.
    private func ready(_ stamp: ListStamp) async -> ListIndex? {
        if let index = state.withLock({ $0.index }), index.head.stamp == stamp { return index }
        let (isReading, hasFailed) = state.withLock { state in
            (state.isReading, state.hasFailed(stamp, at: now()))
        }
        if isReading || hasFailed { return state.withLock { hasFailed ? $0.index : nil } }
        let found = await takeStored()
        guard let found, found.head.stamp == stamp else { return nil }
        state.withLock { $0.index = found }
        return found
    }

    /// Returns the index on disk. It answers until there is a newer one, if this process has none.
    private func takeStored() async -> ListIndex? {
        let stored = await Self.onThread { [indexPath] in
            Result { () throws(ListIndex.Damage) in try ListIndex.stored(at: indexPath) }
        }
        switch stored {
        case .success(let found):
            if let found { state.withLock { $0.index = $0.index ?? found } }
            return found
        case .failure(let damage):
            report(damage)
            return nil
        }
    }

    private func last(or sentence: String) throws(Failure) -> ListIndex {
        let (index, failure) = state.withLock { ($0.index, $0.failure) }
        if let index { return index }
        // Clients read this, so it has no path of this machine. The log has it.
        let reason = (failure.map { "\(definition.shownPlace): \($0.reason)" } ?? sentence)
            .replacing(indexPath, with: "\(definition.name).index")
            .replacing(path, with: definition.shownPlace)
        throw .unavailable(reason: "The list “\(definition.name)” can't be read. \(reason)")
    }

    // MARK: - Reading

    private func start(_ stamp: ListStamp) {
        let (isFirst, known) = state.withLock { state -> (Bool, UnreadableList?) in
            let known = state.reading == stamp ? state.failure : nil
            // Another caller's reading may have ended since this one looked.
            let isRead = state.index?.head.stamp == stamp
            if isRead || state.isReading || state.hasFailed(stamp, at: now()) {
                return (false, known)
            }
            state.isReading = true
            state.readingSince = now()
            state.reading = stamp
            return (true, known)
        }
        guard isFirst else { return }
        // Unstructured, because callers don't wait until it ends.
        Task { [self] in
            let result = await Self.onThread { [self] in read(stamp) }
            let waiting = state.withLock { state in
                state.isReading = false
                switch result {
                case .success(let index):
                    state.index = index
                    state.failure = nil
                    state.reportedDamage = nil
                case .failure(let failure): (state.failure, state.failedAt) = (failure, now())
                }
                defer { state.waiting = [:] }
                return Array(state.waiting.values)
            }
            if case .failure(let failure) = result, failure != known {
                report("The list “\(definition.name)” can't be read: \(failure.reason)")
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private func read(_ stamp: ListStamp) -> Result<ListIndex, UnreadableList> {
        do throws(UnreadableList) {
            // If the directory can't be made, the writer reports it.
            try? FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            let bad = try ListIndexWriter.write(path, definition.columns, stamp, to: indexPath)
            guard let index = try? ListIndex.stored(at: indexPath) else {
                throw UnreadableList(reason: "Its index \(indexPath) can't be read.")
            }
            if let bad {
                let rows = index.head.listedRows
                report(
                    "The list “\(definition.name)” has \(rows.all) rows, of which \(rows.refused) can't "
                        + "be read; the first of them is line \(bad.line): \(bad.reason).")
            }
            return .success(index)
        } catch {
            return .failure(error)
        }
    }

    /// How long a caller still waits for the index that is being made, because an old one answers; nil to its
    /// end.
    private var remainingPatience: Duration? {
        let (hasOld, since) = state.withLock { ($0.index != nil, $0.readingSince) }
        guard hasOld, let patience else { return nil }
        return max(.zero, patience - .seconds(max(0, now().timeIntervalSince(since))))
    }

    /// Waits until no index is being made.
    private func waitForReading(atMost limit: Duration?) async {
        if limit == .zero { return }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let timer = limit.map { limit in
            Task { [self] in
                // Canceled once the wait is over; resuming then finds nothing to do.
                try? await Task.sleep(for: limit)
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
            }
        }
        defer { timer?.cancel() }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isReading { return true }
                state.waiting[number] = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await FileThreads.run { () throws(Never) in body() }
    }

    /// Has the server asked for the list if that is due. A caller with patience waits for that only if there is
    /// no index.
    private func fetch(_ copy: ListCopy, _ api: any APIReading) async throws(Failure) {
        guard copy.begin() else { return }
        if patience != nil, await takeStored() != nil {
            // Unstructured, because the caller doesn't wait for it. The copy reports its failures itself.
            Task { try? await copy.fetch(api) }
        } else {
            try await copy.fetch(api)
        }
    }
}
