package import Catalog
import FoundationEssentials
import Hashing
import Logging
package import Store
import Synchronization
import Threads

/// Pictures that are never fetched or shown: what the operator has blocked. Any thread.
///
/// The records are in the database of favorites. What is in force is kept in memory, together with what the
/// file of the settings names. Work that shows or fetches a picture calls ``follow()`` before it looks, which
/// reads the records again if another process has changed them.
package final class Blocks: Sendable {
    private struct State: Sendable {
        var stored: [BlockRecord] = []
        /// What the file of the settings names. It is in force even if it can't be recorded.
        var ofFile: [BlockRecord] = []
        var list = BlockList([])
        /// Why the records can't be read.
        var trouble: StoreError?
        var whenChanged: (@Sendable (_ isOfNames: Bool) -> Void)?

        /// What is in force, the oldest first.
        var all: [BlockRecord] {
            let stored = stored.filter { !$0.isLifted }
            let named = Set(stored.map(\.target))
            return stored + ofFile.filter { !named.contains($0.target) }
        }
    }

    private let userData: UserData
    private let freshness: FreshnessPolicy
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state = Mutex(State())
    private let count: BlockCount
    private let reading = InFlight<Int, Void, Result<Void, any Error>> { _, _ in true }
    /// Whether anything is blocked, so that most look-ups cost no lock.
    private let isUsed = Atomic<Bool>(false)
    /// Changes of what is in force.
    let changes = Counter()

    /// Reads the records. Blocks the thread.
    init(
        _ userData: UserData, _ freshness: FreshnessPolicy, _ logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.userData = userData
        self.freshness = freshness
        self.logger = logger
        self.now = now
        count = BlockCount(of: userData)
        let number = count.numberNow()
        do throws(StoreError) {
            take(try userData.blocksNow(), number)
        } catch {
            note(error)
        }
    }

    /// Calls `body` after each change of what is in force, before anything is shown that depends on it.
    ///
    /// - Parameter body: gets whether only names of items were blocked, so that nothing else is concerned.
    func whenChanged(_ body: @escaping @Sendable (_ isOfNames: Bool) -> Void) {
        state.withLock { $0.whenChanged = body }
    }

    private func note(_ error: StoreError) {
        let isNews = state.withLock { state in
            defer { state.trouble = error }
            return state.trouble != error
        }
        guard isNews, error != .stopped else { return }
        logger.error(
            "What is blocked can't be read, so no picture is shown until it can.",
            metadata: ["reason": "\(error)"])
    }

    private func change(_ body: (inout State) -> Void) {
        let (old, new, notice) = state.withLock { state in
            let old = state.all
            body(&state)
            let new = state.all
            state.list = BlockList(new)
            isUsed.store(!state.list.isEmpty, ordering: .releasing)
            return (old, new, state.whenChanged)
        }
        // Databases round dates.
        let (before, after) = (Set(old.map(\.shown)), Set(new.map(\.shown)))
        guard before != after else { return }
        changes.add()
        notice?(
            before.isSubset(of: after)
                && new.allSatisfy { $0.isOfNames || before.contains($0.shown) })
    }

    // MARK: - Other processes

    /// Whether this process knows what all others have blocked; never waits. If not, nothing may be shown before
    /// ``follow()``.
    var areCurrent: Bool { count.isCurrent }

    /// Reads the records again if another process has changed them since.
    ///
    /// - Throws: ``Failure`` of kind `storeUnusable` if they can't be read: then nothing may be shown.
    func follow() async throws(Failure) {
        while !count.isCurrent {
            // One that began before the change may be joined, so the look is repeated.
            try await Failure.catching { [self] in
                _ = try await reading.made(for: 0) { [self] in try await read() }
            }
        }
    }

    /// Does the same in the background, where a failure has been logged.
    func notice() async { try? await follow() }

    private func read() async throws {
        let number = await count.number()
        do throws(StoreError) {
            take(try await userData.blocks(), number)
        } catch {
            note(error)
            throw error == .stopped
                ? Failure(error)
                : Failure(
                    .storeUnusable,
                    "What is blocked can't be read, so no picture is shown. \(error)", cause: error)
        }
    }

    /// Takes the records over that were read after the number of their changes.
    private func take(_ records: [BlockRecord], _ number: UInt64?) {
        change { state in
            state.stored = records
            state.trouble = nil
        }
        count.know(number)
    }

    private func look(_ body: (BlockList) -> BlockRecord?) -> BlockRecord? {
        guard isUsed.load(ordering: .acquiring) else { return nil }
        return body(state.withLock { $0.list })
    }

    // MARK: - Look-ups

    /// Returns the block of an item's name or, if a URL names it, of that URL; never waits.
    package func block(of item: Item) -> BlockRecord? { look { $0.block(of: item) } }

    /// Returns the block of a URL, or of the bytes that it led to.
    func block(ofURL url: String, _ digest: Digest?) -> BlockRecord? {
        look { list in
            list.block(ofURL: url) ?? digest.flatMap { list.block(of: $0) }
        }
    }

    /// Returns the failure that is shown in place of an item's picture; nil if it is not blocked.
    func failure(of item: Item) -> Failure? { block(of: item).map(refusal) }

    /// Returns the failure in place of the picture at a URL.
    func failure(ofURL url: String?) -> Failure? {
        url.flatMap { url in look { $0.block(ofURL: url) } }.map(refusal)
    }

    /// Returns the failure in place of an original, wherever it comes from.
    func failure(of digest: Digest?) -> Failure? {
        digest.flatMap { digest in look { $0.block(of: digest) } }.map(refusal)
    }

    private func refusal(_ block: BlockRecord) -> Failure {
        let kind = block.reason == nil ? Failure.Kind.gone : .withheld
        return Failure(
            kind, block.reason ?? "The operator has removed this picture.",
            until: now().addingTimeInterval(freshness.lifetime(of: kind)))
    }

    // MARK: - Records

    /// All records in force, the oldest first.
    package var all: [BlockRecord] { state.withLock(\.all) }

    /// Every record, lifted ones included, for other nodes.
    package var records: [BlockRecord] { state.withLock { $0.stored } }

    /// Returns the record of a target, if it is blocked.
    func record(of target: String) -> BlockRecord? {
        state.withLock { state in
            (state.stored.filter { !$0.isLifted } + state.ofFile).first { $0.target == target }
        }
    }

    /// Whether the file of the settings names a target.
    func isInFile(_ target: String) -> Bool {
        state.withLock { $0.ofFile.contains { $0.target == target } }
    }

    /// Writes records, and puts them in force once they are written. When this returns, no process with this cache
    /// shows or fetches anything without them.
    ///
    /// - Throws: `StoreError`; then nothing has changed.
    func write(_ records: [BlockRecord]) async throws(StoreError) {
        try await userData.write(records)
        let targets = Set(records.map(\.target))
        change { state in
            state.stored = state.stored.filter { !targets.contains($0.target) } + records
        }
        await count.add()
    }

    /// Puts in force what the file of the settings names now.
    func setFile(_ records: [BlockRecord]) { change { $0.ofFile = records } }

    /// Returns those of the file that were not recorded as they are now. What the operator has blocked besides
    /// stays as it is.
    func unrecorded(_ records: [BlockRecord]) -> [BlockRecord] {
        let known = Dictionary(
            state.withLock { $0.stored }.filter { !$0.isLifted }.map { ($0.target, $0) },
            uniquingKeysWith: { _, last in last })
        return records.filter { record in
            guard let known = known[record.target] else { return true }
            return known.origin == .file && known.reason != record.reason
        }
    }
}

extension Failure {
    /// Whether the operator has blocked the picture. It is not remembered with the picture, which may be shown
    /// again as soon as the block is lifted.
    var isOfBlock: Bool { kind == .withheld || kind == .gone }
}

extension BlockRecord {
    /// What clients see of it.
    fileprivate var shown: [String?] { [target, reason] }

    /// Whether it concerns items by their names alone.
    fileprivate var isOfNames: Bool {
        switch BlockTarget(text: target) {
        case .item, .prefix: true
        case .url, .digest, nil: false
        }
    }
}
