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
/// file of the settings names, and is read again when another process or node has changed it.
package final class Blocks: Sendable {
    private struct State: Sendable {
        var stored: [BlockRecord] = []
        /// What the file of the settings names. It is in force even if it can't be recorded.
        var ofFile: [BlockRecord] = []
        var list = BlockList([])
    }

    private let userData: UserData
    private let freshness: FreshnessPolicy
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state = Mutex(State())
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
        do throws(StoreError) {
            let records = try userData.blocksNow()
            change { $0.stored = records }
        } catch {
            report(error)
        }
    }

    private func report(_ error: StoreError) {
        if error == .stopped { return }
        logger.error(
            "The blocked pictures can't be read. Those that were blocked since the last time may be shown.",
            metadata: ["reason": "\(error)"])
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            let ofFile = Set(state.ofFile.map(\.target))
            // The operator's own words win over those of the file.
            let own = state.stored.filter { !$0.isLifted || !ofFile.contains($0.target) }
            let named = Set(own.map(\.target))
            state.list = BlockList(own + state.ofFile.filter { !named.contains($0.target) })
            isUsed.store(!state.list.isEmpty, ordering: .releasing)
        }
        changes.add()
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
    package var all: [BlockRecord] {
        state.withLock { state in
            let stored = state.stored.filter { !$0.isLifted }
            let named = Set(stored.map(\.target))
            return stored + state.ofFile.filter { !named.contains($0.target) }
        }
    }

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

    /// Reads the records again, which another process may have changed. Those in force stay if that fails.
    func reload() async {
        do throws(StoreError) {
            let records = try await userData.blocks()
            guard records != state.withLock({ $0.stored }) else { return }
            change { $0.stored = records }
        } catch {
            report(error)
        }
    }

    /// Writes records, and puts them in force once they are written.
    ///
    /// - Throws: `StoreError`; then nothing has changed.
    func write(_ records: [BlockRecord]) async throws(StoreError) {
        try await userData.write(records)
        let targets = Set(records.map(\.target))
        change { state in
            state.stored = state.stored.filter { !targets.contains($0.target) } + records
        }
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
