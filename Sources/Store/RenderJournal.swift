import Glibc
import Synchronization

/// Which originals the processes of a cache are looking at, on disk, so that the next process knows
/// what another one was looking at when it died.
///
/// Each process has a file of slots below `renders`, locked while it lives. A write of 32 bytes notes an
/// original, another one clears it: no sync, as the kernel keeps what a dead process wrote. What a dead
/// process left behind becomes a suspect, in a file that all processes share, until it is acquitted.
///
/// I/O runs on a thread of the journal's own. Several processes can share a root.
package final class RenderJournal: Sendable {
    /// An original that is being looked at.
    package struct Entry: Sendable {
        /// nil where it leaves no trace.
        let slot: Int?
        /// Whether a process died while it looked at this original.
        package let isSuspect: Bool
    }

    private struct State {
        var free: [Int]
        var suspects: Set<Digest>
        var failure: StoreError?
    }

    /// Originals that one process notes at the same time; more than these leave no trace. Far more
    /// than `load.misses`.
    static let slots = 1_024
    /// Suspects that are kept; the newest stay. An attacker can make any number.
    static let maxSuspects = 1_024

    private let path: String
    private let layout: StoreLayout?
    private let file: FileDescriptor?
    private let state: Mutex<State>
    private let threads = IOThreads(count: 1)

    /// Opens a file for this process, and takes over what dead processes left. Blocks for a few system
    /// calls, also while another process is doing the same.
    ///
    /// Never fails: where the disk doesn't allow it nothing is noted, see ``shortcoming``.
    package init(root: String) {
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

    /// Originals that a process was looking at when it died, and that have not been rendered since.
    package var suspects: Int { state.withLock { $0.suspects.count } }

    /// What keeps originals from being noted, or kept one from it last.
    package var shortcoming: StoreError? { state.withLock { $0.failure } }

    /// Notes that this process is looking at an original from now on.
    package func begin(_ original: Digest) async -> Entry {
        let (slot, isSuspect) = state.withLock { state in
            (state.free.popLast(), state.suspects.contains(original))
        }
        if let slot { await write(original.bytes, slot) }
        return Entry(slot: slot, isSuspect: isSuspect)
    }

    /// This process came through.
    package func end(_ entry: Entry) async {
        guard let slot = entry.slot else { return }
        await write([UInt8](repeating: 0, count: Digest.byteCount), slot)
        state.withLock { $0.free.append(slot) }
    }

    /// The original is no suspect any more, for any process that opens the cache from now on.
    package func acquit(_ original: Digest) async {
        guard state.withLock({ $0.suspects.remove(original) }) != nil, let layout else { return }
        await noting { () throws(StoreError) in
            try layout.trying("write", layout.suspects) { () throws(Errno) in
                let shared = try Self.openSuspects(layout)
                let known = RenderSlots.digests(in: try shared.read(Self.fileSize))
                try Self.write(known.filter { $0 != original }, to: shared)
            }
        }
    }

    /// Removes this process's file; to be called when nothing is looked at any more. Idempotent.
    package func close() {
        // One that stays has nothing in it, and goes with the next opening.
        if !path.isEmpty { unlink(path) }
    }

    private func write(_ bytes: [UInt8], _ slot: Int) async {
        await noting { [self] () throws(StoreError) in
            switch file {
            case .some(let file):
                try layout?.trying("write", path) { () throws(Errno) in
                    try file.write(bytes, at: slot * Digest.byteCount)
                }
            case .none: break
            }
        }
    }

    /// That a render leaves no trace is no reason to refuse it.
    private func noting(_ work: @escaping @Sendable () throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await threads.run(work)
        } catch {
            state.withLock { $0.failure = error }
        }
    }
}

extension RenderJournal {
    private static let fileSize = slots * Digest.byteCount

    /// Takes over what dead processes left, then makes a file for this one, before any other process
    /// can take that for a dead one's.
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

    /// The suspects, with what is found in the files of dead processes, which are removed.
    private static func takeOver(
        _ layout: StoreLayout, _ shared: borrowing FileDescriptor
    ) throws(Errno) -> [Digest] {
        let known = RenderSlots.digests(in: try shared.read(maxSuspects * Digest.byteCount))
        var found: [Digest] = []
        var dead: [String] = []
        for name in try directoryNames(layout.renders).sorted() where name != "suspects" {
            let path = layout.renders + "/" + name
            guard let left = try leftBehind(path) else { continue }
            found += left
            dead.append(path)
        }
        let suspects = RenderSlots.merged(found, into: known, atMost: maxSuspects)
        if suspects != known { try write(suspects, to: shared) }
        // They are safe in the other file now.
        for path in dead { unlink(path) }
        return suspects
    }

    /// What the process of a file was looking at when it died; nil where it lives, or the file is gone.
    private static func leftBehind(_ path: String) throws(Errno) -> [Digest]? {
        guard let status = try fileStatus(path), status.isRegular else { return nil }
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            guard try file.lock(waiting: false) else { return nil }
            return RenderSlots.digests(in: try file.read(fileSize))
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Locked against other processes that read or write it.
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

/// What the files of a ``RenderJournal`` say: digests in slots of 32 bytes, zeros where a slot is free.
enum RenderSlots {
    static func digests(in bytes: [UInt8]) -> [Digest] {
        stride(from: 0, to: bytes.count - Digest.byteCount + 1, by: Digest.byteCount).compactMap {
            let slot = bytes[$0..<$0 + Digest.byteCount]
            return slot.allSatisfy { $0 == 0 } ? nil : Digest(bytes: slot)
        }
    }

    /// The new ones first, each once.
    static func merged(_ new: [Digest], into known: [Digest], atMost count: Int) -> [Digest] {
        var seen: Set<Digest> = []
        return Array((new + known).filter { seen.insert($0).inserted }.prefix(count))
    }
}

extension FileDescriptor {
    /// All of the bytes, from a place in the file on.
    fileprivate func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        var done = 0
        while done < bytes.count {
            done += try Errno.check {
                bytes.withUnsafeBytes { raw in
                    pwrite(
                        number, raw.baseAddress?.advanced(by: done), raw.count - done, offset + done
                    )
                }
            }
        }
    }
}
