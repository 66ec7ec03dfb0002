import Glibc
import Hashing
import Synchronization

/// Counts the bytes and files below the cache directory, for all processes that use it.
///
/// The counts are in ``SharedPage``, in one record per first-level directory of blobs and a few others.
/// Each change reads and writes them under their lock, a few microseconds, and survives the death
/// of the process. Counts may be too high after a death, never too low; a recount mends them. A
/// ledger isn't on the disk before the blobs that it counts, so that counts may be too low after a
/// power cut: each directory is counted again once per start of the machine.
///
/// A process that was stopped may hold the lock for long. Then writers are refused, what is taken out waits in
/// memory, and readers get what was known.
///
/// A record that is damaged counts as not counted, and ``takeDamage()`` says so. Until a recount such places are estimated from
/// the others, because digests spread evenly. If the file can't be used, the counts are kept in
/// memory. Calls block. Any thread.
final class Ledger: Sendable {
    private struct State {
        var file: SharedFile?
        /// In force until there is a file.
        var counts: LedgerCounts
        /// Whether something was written since ``Ledger/synchronize()``.
        var isDirty = false
        /// Whether another process held the lock at the last attempt. Then each call tries once.
        var isHeld = false
        /// What was added meanwhile without a condition.
        var owed: [CountedPlace: DiskUsage] = [:]
        /// Whether a damaged record was read since ``Ledger/takeDamage()``.
        var foundDamage = false
    }

    private static let place = SharedPage.ledger

    private let layout: StoreLayout
    /// Identifies this start of the machine; 0 if the kernel doesn't say it.
    private static let thisBoot: UInt32 = {
        let id = SharedFile.existing("/proc/sys/kernel/random/boot_id")?.read(64, at: 0)
        return id.map { UInt32(Digest(of: $0).words.0 >> 32) } ?? 0
    }()

    private let boot: UInt32
    private let state: Mutex<State>
    /// Of changes to blobs that are counted only in part.
    private let locks: ByteLocks
    /// The first byte of `v2/claims` that stands for a first-level directory, above the offsets of
    /// ``Claims``.
    private static let firstByte = 1 << 62

    /// The file is opened or created by the first call.
    ///
    /// - Parameters:
    ///   - isNew: whether the cache has no blobs yet, so that nothing has to be counted.
    ///   - boot: identifies this start of the machine.
    init(_ layout: StoreLayout, isNew: Bool, boot: UInt32? = nil) {
        self.layout = layout
        let boot = boot ?? Self.thisBoot
        self.boot = boot
        locks = ByteLocks(layout)
        state = Mutex(State(file: nil, counts: isNew ? LedgerCounts.empty(boot) : .unknown))
    }

    /// Whether another process held the lock at the last attempt.
    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// The counts now.
    var counts: LedgerCounts { change { _ in false }.counts }

    /// Adds to a place if `isAdmitted` accepts the usage before. Returns that usage, and whether it
    /// was added. Without a condition it is added later if another process holds the lock.
    @discardableResult
    func add(
        _ added: DiskUsage, to place: CountedPlace, if isAdmitted: ((DiskUsage) -> Bool)? = nil
    ) -> (before: DiskUsage, isAdded: Bool) {
        add([(place, added)], if: isAdmitted)
    }

    /// Adds to several places, or to none.
    @discardableResult
    func add(
        _ additions: [(place: CountedPlace, usage: DiskUsage)],
        if isAdmitted: ((DiskUsage) -> Bool)? = nil
    ) -> (before: DiskUsage, isAdded: Bool) {
        var before = DiskUsage()
        let (_, isAdded) = change(owing: isAdmitted == nil ? additions : []) { counts in
            before = counts.total
            guard isAdmitted?(before) ?? true else { return false }
            for (place, usage) in additions { counts.add(usage, to: place) }
            assert(
                counts.total.bytes >= 0 && counts.total.files >= 0,
                "a cache takes less than nothing")
            return true
        }
        return (before, isAdded)
    }

    /// Replaces the count of a place with what was found there. Returns false, and changes nothing,
    /// if the place changed since `version` was read.
    @discardableResult
    func set(_ place: CountedPlace, to found: DiskUsage, since version: UInt64? = nil) -> Bool {
        change { counts in
            if let version, counts.version(of: place) != version { return false }
            counts.set(place, to: found, boot)
            return true
        }.isChanged
    }

    /// Runs a change to blobs in first-level directories. Meanwhile a blob is counted and not there yet, or
    /// gone and still counted, so that a count of such a directory would be wrong for good. Without locks
    /// on this file system a count doesn't notice it.
    func during<Value, Failure: Error>(
        _ fans: Set<Int>, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // A count holds the lock for a moment only. One that was stopped meanwhile finds that this
        // directory has changed since.
        let taken = fans.map { Self.firstByte + $0 }.filter {
            locks.take($0, isShared: true, waiting: true) == true
        }
        defer { for byte in taken { locks.release(byte) } }
        return try body()
    }

    /// Returns whether no process is at a change in this directory that began earlier. True if the
    /// file system has no locks.
    func hasNoChange(in fan: Int) -> Bool {
        // A descriptor of its own, so that changes of this process count, too.
        Errno.optional { () throws(Errno) in
            try SharedFile(layout.claims).lock(Self.firstByte + fan)
        } ?? true
    }

    /// The first-level directories whose counts are from before this start of the machine.
    var unconfirmed: [Int] { counts.unconfirmed(boot) }

    /// Returns whether the file had damaged records since the last call. They are written again when their
    /// places have been counted.
    func takeDamage() -> Bool {
        change { _ in false }
        return state.withLock { state in
            defer { state.foundDamage = false }
            return state.foundDamage
        }
    }

    /// Writes the counts to the disk, so that a power cut makes them wrong by little.
    func synchronize() {
        let file = state.withLock { state in
            defer { state.isDirty = false }
            return state.isDirty ? state.file : nil
        }
        file?.synchronize()
    }

    /// - Parameter owed: what is added later if another process holds the lock.
    @discardableResult
    private func change(
        owing owed: [(place: CountedPlace, usage: DiskUsage)] = [],
        _ body: (inout LedgerCounts) -> Bool
    ) -> (counts: LedgerCounts, isChanged: Bool) {
        state.withLock { state in
            let known = state.file
            state.file = SharedFile.current(known, at: layout.shared)
            // Without locks on this file system two processes may lose a count, which a recount
            // mends.
            let isLocked = state.file?.lock(Self.place, waiting: !state.isHeld) ?? nil
            state.isHeld = isLocked == false
            if state.isHeld {
                state.file = known
                for (place, usage) in owed { state.owed[place, default: DiskUsage()] += usage }
                return (state.counts, !owed.isEmpty)
            }
            let current = state.file
            defer { if isLocked == true { current?.unlock(Self.place) } }
            // On a full disk a new file stays empty.
            guard let file = current,
                file === known || isUsable(file, known == nil ? state.counts : .unknown)
            else {
                state.file = nil
                let isChanged = body(&state.counts)
                return (state.counts, isChanged)
            }
            let stored = Self.read(file).map(LedgerCounts.init(bytes:)) ?? state.counts
            state.counts = stored
            state.foundDamage = state.foundDamage || stored.hasDamage
            let isPaying = !state.owed.isEmpty
            for (place, usage) in state.owed { state.counts.add(usage, to: place) }
            assert(isLocked != false, "counts are changed without their lock")
            state.owed = [:]
            let isChanged = body(&state.counts)
            guard isChanged || isPaying else { return (stored, false) }
            for change in state.counts.changes(since: stored) {
                file.write(change.bytes, at: Self.place.offset + change.offset)
            }
            state.isDirty = true
            return (state.counts, isChanged)
        }
    }

    private static func read(_ file: SharedFile) -> [UInt8]? {
        file.read(place.count, at: place.offset)
    }

    /// Writes counts to a new or cut file. Returns whether it is whole then.
    private func isUsable(_ file: SharedFile, _ counts: LedgerCounts) -> Bool {
        func isWhole() -> Bool { Self.read(file)?.count == Self.place.count }
        if isWhole() { return true }
        file.write(counts.bytes, at: Self.place.offset)
        return isWhole()
    }
}
