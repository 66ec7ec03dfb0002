import Glibc
import Synchronization

/// Counts the bytes and files below the cache directory, for all processes that use it.
///
/// The counts are in `v1/ledger`, in one record per first-level directory of blobs and a few others.
/// Each change reads and writes the file under its lock, a few microseconds, and survives the death
/// of the process. Counts may be too high after a death, never too low; a recount mends them.
///
/// A record that is damaged counts as not counted. Until a recount such places are estimated from
/// the others, because digests spread evenly. If the file can't be used, the counts are kept in
/// memory. Calls block. Any thread.
final class Ledger: Sendable {
    /// A part of the tree with a count of its own.
    enum Place: Hashable, Sendable {
        /// A first-level directory of blobs, 0 to 255.
        case fan(Int)
        case quarantine
        /// Databases, journals and this file, as they were measured last.
        case upkeep

        static var all: [Place] { (0..<256).map(Place.fan) + [.quarantine, .upkeep] }

        var number: Int {
            switch self {
            case .fan(let number): number
            case .quarantine: 256
            case .upkeep: 257
            }
        }
    }

    private struct State {
        var file: LedgerFile?
        /// In force while there is no file.
        var counts: LedgerCounts
    }

    private let layout: StoreLayout
    private let state: Mutex<State>
    /// Held by a caller from the first of a blob's file and its count to the last.
    let changes: ChangesUnderway

    /// The file is opened or created by the first call.
    ///
    /// - Parameter isNew: whether the cache has no blobs yet, so that nothing has to be counted.
    init(_ layout: StoreLayout, isNew: Bool) {
        self.layout = layout
        changes = ChangesUnderway(layout)
        state = Mutex(State(file: nil, counts: isNew ? .empty : .unknown))
    }

    /// The counts now.
    var counts: LedgerCounts { change { _ in false }.counts }

    /// Adds to a place if `isAdmitted` accepts the usage before. Returns that usage, and whether it
    /// was added.
    @discardableResult
    func add(
        _ added: DiskUsage, to place: Place, if isAdmitted: (DiskUsage) -> Bool = { _ in true }
    ) -> (before: DiskUsage, isAdded: Bool) {
        var before = DiskUsage()
        let (_, isAdded) = change { counts in
            before = counts.total
            guard isAdmitted(before) else { return false }
            counts.add(added, to: place)
            return true
        }
        return (before, isAdded)
    }

    /// Replaces the count of a place with what was found there. Returns false, and changes nothing,
    /// if the place changed since `version` was read.
    @discardableResult
    func set(_ place: Place, to found: DiskUsage, since version: UInt64? = nil) -> Bool {
        change { counts in
            if let version, counts.version(of: place) != version { return false }
            counts.set(place, to: found)
            return true
        }.isChanged
    }

    @discardableResult
    private func change(
        _ body: (inout LedgerCounts) -> Bool
    ) -> (counts: LedgerCounts, isChanged: Bool) {
        state.withLock { state in
            // Another process, or a user, may have removed or replaced the file.
            if state.file?.isThere != true {
                let isFirst = state.file == nil
                state.file = Errno.optional { () throws(Errno) in
                    try LedgerFile(layout.ledger, isFirst ? state.counts : .unknown)
                }
            }
            guard let file = state.file else {
                let isChanged = body(&state.counts)
                return (state.counts, isChanged)
            }
            return file.locked { file in
                let stored = file.read() ?? state.counts
                state.counts = stored
                guard body(&state.counts) else { return (stored, false) }
                file.write(state.counts.changes(since: stored))
                return (state.counts, true)
            }
        }
    }
}

/// The ledger's file. Its calls block and never fail: counts that can't be written hold in memory
/// until the next read.
private final class LedgerFile: Sendable {
    private let descriptor: FileDescriptor
    private let path: String

    /// Opens the file, and writes `counts` to a new or cut one.
    init(_ path: String, _ counts: LedgerCounts) throws(Errno) {
        self.path = path
        descriptor = try FileDescriptor(
            opening: path, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
        try locked { file throws(Errno) in
            if try file.descriptor.status().st_size < LedgerCounts.byteCount {
                try file.descriptor.write(counts.bytes, at: 0)
            }
        }
    }

    /// Whether the file still has its name.
    var isThere: Bool {
        Errno.optional { () throws(Errno) in try descriptor.isAt(path) } ?? false
    }

    /// Runs `body` in one process at a time. Without locks on this file system two processes may
    /// lose a count, which a recount mends.
    func locked<Value, Failure: Error>(
        _ body: (LedgerFile) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let isLocked = Errno.optional { () throws(Errno) in try descriptor.lock(waiting: true) }
        defer { if isLocked == true { descriptor.unlock() } }
        return try body(self)
    }

    func read() -> LedgerCounts? {
        Errno.optional { () throws(Errno) in try descriptor.read(LedgerCounts.byteCount, at: 0) }
            .map(LedgerCounts.init(bytes:))
    }

    func write(_ changes: [(offset: Int, bytes: [UInt8])]) {
        for (offset, bytes) in changes {
            _ = Errno.optional { () throws(Errno) in try descriptor.write(bytes, at: offset) }
        }
    }
}

extension FileDescriptor {
    /// Returns whether the open file is the one that has this path now.
    func isAt(_ path: String) throws(Errno) -> Bool {
        try fileStatus(path)?.st_ino == status().st_ino
    }
}

extension Errno {
    /// Returns nil if the call fails.
    static func optional<Value: ~Copyable>(_ call: () throws(Errno) -> Value) -> Value? {
        do throws(Errno) {
            return try call()
        } catch {
            return nil
        }
    }
}
