import Glibc
package import Hashing
import Synchronization
import Threads

/// Records on disk which originals each process is rendering, so that the next process knows what a
/// dead one was rendering.
///
/// Each process has a file of slots below `renders`, locked while it lives. A write of 32 bytes
/// records an original, another one clears it. Nothing is synced, because the kernel keeps what a
/// dead process wrote. Originals of dead processes become suspects, in a file that all processes
/// share, until they are acquitted.
///
/// Originals are noted on the calling thread if it may block, and the rest happens on the journal's own
/// thread. Several processes can share a root.
package final class RenderJournal: Sendable {
    /// An original that is being rendered.
    package struct Entry: Sendable {
        /// nil if it is not recorded.
        let slot: Int?
        /// Whether a process died while it rendered this original.
        package let isSuspect: Bool
    }

    private struct State {
        var free: [Int]
        var suspects: Set<Digest>
        var failure: StoreError?
        /// When dead processes were looked for last.
        var lookedAt = ContinuousClock.now
    }

    /// Limit of originals recorded at the same time, far above `load.misses`. Further ones are not
    /// recorded.
    static let slots = 1_024
    /// Limit of suspects. The newest are kept, because an attacker can make any number.
    static let maxSuspects = 1_024

    private let path: String
    private let layout: StoreLayout?
    private let file: FileDescriptor?
    private let state: Mutex<State>
    /// The least time between two looks for dead processes, of a few system calls each.
    private let lookEvery: Duration
    private let threads = ThreadPool("store-renders", count: 1)

    /// Opens a file for this process and takes over the originals of dead processes. Blocks for a
    /// few system calls, and while another process does the same.
    ///
    /// Never fails. If the disk doesn't allow a file, nothing is recorded; see ``shortcoming``.
    package init(root: String, lookEvery: Duration = .seconds(1)) {
        self.lookEvery = lookEvery
        do throws(StoreError) {
            let layout = try StoreLayout(opening: root)
            let path = layout.renders + "/" + uniqueName()
            var suspects: [Digest] = []
            let file = try layout.trying("open", path) { () throws(Errno) in
                try Self.open(path, layout, &suspects)
            }
            self.path = path
            self.layout = layout
            state = Mutex(State(free: Array(0..<Self.slots), suspects: Set(suspects)))
            self.file = consume file
        } catch {
            path = ""
            layout = nil
            file = nil
            state = Mutex(State(free: [], suspects: [], failure: error))
        }
    }

    deinit { close() }

    /// The number of originals that a process was rendering when it died and that have not been
    /// rendered since.
    package var suspects: Int { state.withLock { $0.suspects.count } }

    /// The last error that kept an original from being recorded.
    package var shortcoming: StoreError? { state.withLock { $0.failure } }

    /// Records that this process renders an original from now on. Before that it takes over the
    /// originals of processes that died.
    package func begin(_ original: Digest) async -> Entry {
        await lookForDead()
        let (slot, isSuspect) = state.withLock { state in
            (state.free.popLast(), state.suspects.contains(original))
        }
        if let slot { await write(original.bytes, slot) }
        return Entry(slot: slot, isSuspect: isSuspect)
    }

    /// Clears the record: this process survived the render.
    package func end(_ entry: Entry) async {
        guard let slot = entry.slot else { return }
        await write([UInt8](repeating: 0, count: Digest.byteCount), slot)
        state.withLock { $0.free.append(slot) }
    }

    /// Removes an original from the suspects, for every process that opens the cache from now on.
    package func acquit(_ original: Digest) async {
        guard state.withLock({ $0.suspects.contains(original) }), let layout else { return }
        await noting { () throws(StoreError) in
            try layout.trying("write", layout.suspects) { () throws(Errno) in
                let shared = try Self.openSuspects(layout)
                let known = Slots.digests(in: try shared.read(Self.fileSize))
                try Self.write(known.filter { $0 != original }, to: shared)
            }
        }
        // Not before: a look for dead processes would have found it in the file again.
        state.withLock { _ = $0.suspects.remove(original) }
    }

    private func lookForDead() async {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard now - state.lookedAt >= lookEvery else { return false }
            state.lookedAt = now
            return true
        }
        guard isDue, let layout else { return }
        await noting { [self] () throws(StoreError) in
            let suspects = try layout.trying("read", layout.suspects) { () throws(Errno) in
                try Self.takeOver(layout, try Self.openSuspects(layout))
            }
            state.withLock { $0.suspects = Set(suspects) }
        }
    }

    /// Removes this process's file. Call it when no render is running. Idempotent.
    package func close() {
        // A file that stays is empty, and the next opening removes it.
        if !path.isEmpty { unlink(path) }
    }

    private func write(_ bytes: [UInt8], _ slot: Int) async {
        await noting(here: ThreadPool.mayBlock()) { [self] () throws(StoreError) in
            switch file {
            case .some(let file):
                try layout?.trying("write", path) { () throws(Errno) in
                    try file.write(bytes, at: slot * Digest.byteCount)
                }
            case .none: break
            }
        }
    }

    /// Renders continue even if they can't be recorded.
    private func noting(
        here: Bool = false, _ work: @escaping @Sendable () throws(StoreError) -> Void
    ) async {
        do throws(StoreError) {
            if here { try work() } else { try await threads.run(work) }
        } catch {
            state.withLock { $0.failure = error }
        }
    }
}

extension RenderJournal {
    private static let fileSize = slots * Digest.byteCount

    /// Takes over the originals of dead processes, then creates this process's file, before another
    /// process can take that for a dead one's.
    private static func open(
        _ path: String, _ layout: StoreLayout, _ suspects: inout [Digest]
    ) throws(Errno) -> FileDescriptor {
        let shared = try openSuspects(layout)
        suspects = try takeOver(layout, shared)
        let file = try FileDescriptor(
            opening: path, O_CREAT | O_EXCL | O_RDWR, mode: StoreLayout.fileMode)
        _ = try file.lock(waiting: true)
        try file.write([UInt8](repeating: 0, count: fileSize), at: 0)
        return file
    }

    /// Returns the suspects, including those from files of dead processes, which are removed.
    private static func takeOver(
        _ layout: StoreLayout, _ shared: borrowing FileDescriptor
    ) throws(Errno) -> [Digest] {
        let known = Slots.digests(in: try shared.read(maxSuspects * Digest.byteCount))
        var found: [Digest] = []
        var dead: [String] = []
        for name in try directoryNames(layout.renders).sorted() where name != "suspects" {
            let path = layout.renders + "/" + name
            guard let left = try leftBehind(path) else { continue }
            found += left
            dead.append(path)
        }
        let suspects = Slots.merged(found, into: known, atMost: maxSuspects)
        if suspects != known { try write(suspects, to: shared) }
        // The suspects are stored in the shared file now.
        for path in dead { unlink(path) }
        return suspects
    }

    /// Returns what the process of a file was rendering when it died; nil if it lives or the file
    /// is gone.
    private static func leftBehind(_ path: String) throws(Errno) -> [Digest]? {
        guard let status = try fileStatus(path), status.isRegular else { return nil }
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            guard try file.lock(waiting: false) else { return nil }
            return Slots.digests(in: try file.read(fileSize))
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Opens the shared file, locked against other processes.
    private static func openSuspects(_ layout: StoreLayout) throws(Errno) -> FileDescriptor {
        try StoreLayout.makeDirectories(layout.renders)
        let shared = try FileDescriptor(
            opening: layout.suspects, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
        _ = try shared.lock(waiting: true)
        return shared
    }

    private static func write(
        _ suspects: [Digest], to shared: borrowing FileDescriptor
    ) throws(Errno) {
        var bytes = suspects.flatMap(\.bytes)
        bytes += [UInt8](repeating: 0, count: maxSuspects * Digest.byteCount - bytes.count)
        try shared.write(bytes, at: 0)
    }
}

extension RenderJournal {
    /// The content of the journal's files: digests in slots of 32 bytes, zeros in a free slot.
    enum Slots {
        static func digests(in bytes: [UInt8]) -> [Digest] {
            stride(from: 0, to: bytes.count - Digest.byteCount + 1, by: Digest.byteCount).compactMap
            {
                let slot = bytes[$0..<$0 + Digest.byteCount]
                return slot.allSatisfy { $0 == 0 } ? nil : Digest(bytes: slot)
            }
        }

        /// Returns the new digests first, each digest once.
        static func merged(_ new: [Digest], into known: [Digest], atMost count: Int) -> [Digest] {
            var seen: Set<Digest> = []
            return Array((new + known).filter { seen.insert($0).inserted }.prefix(count))
        }
    }
}
