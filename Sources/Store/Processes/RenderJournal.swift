package import Hashing
import Synchronization
import Threads

/// Records on disk which originals are being rendered, so that the next process knows what a dead one
/// was rendering.
///
/// `v2/rendering` has slots of a digest each. A process locks the byte of a slot, writes the digest of the
/// original, and zeros when the render has ended; it keeps the lock for its next render. A digest whose
/// slot no process has locked is a suspect: the process that rendered it died. Nothing is synced, because the
/// kernel keeps what a dead process wrote.
///
/// Originals are noted on a thread that may block. Several processes can share a root.
package final class RenderJournal: Sendable {
    /// An original that is being rendered.
    package struct Entry: Sendable {
        /// nil if it is not recorded.
        let slot: Int?
        /// Whether a process died while it rendered this original.
        package let isSuspect: Bool
    }

    private struct State {
        /// Slots that this process has locked.
        var held: Set<Int> = []
        /// Those of them in which nothing is recorded.
        var free: [Int] = []
    }

    /// Limit of originals recorded at the same time, by all processes, and of suspects. Far above
    /// `LoadPolicy.misses`. Further originals are not recorded, and take the place of suspects before.
    static let slots = 1_024
    private static let size = slots * Digest.byteCount
    private static let zeros = [UInt8](repeating: 0, count: Digest.byteCount)

    /// nil if nothing can be recorded; see ``shortcoming``.
    private let file: SharedFile?
    private let state = Mutex(State())
    private let threads = ThreadPool("store-renders", count: 2)

    /// Why no original is recorded; nil if they are.
    package let shortcoming: StoreError?

    /// Opens the slots. Blocks for a few system calls. Never fails: without the file, nothing is
    /// recorded.
    package init(root: String) {
        do throws(StoreError) {
            let layout = try StoreLayout(opening: root)
            let file = try layout.trying("open", layout.rendering) { () throws(Errno) in
                try SharedFile(layout.rendering)
            }
            // All of it at once, so that a disk that fills later has the place.
            let known = file.read(Self.size, at: 0)?.count ?? 0
            if known < Self.size {
                file.write([UInt8](repeating: 0, count: Self.size - known), at: known)
            }
            self.file = file
            shortcoming = nil
        } catch {
            file = nil
            shortcoming = error
        }
    }

    deinit { close() }

    /// The number of originals that a process was rendering when it died and that have not been
    /// rendered since. Blocks for a few microseconds.
    package var suspects: Int {
        guard let file else { return 0 }
        let recorded = Self.recorded(in: file)
        let held = state.withLock { $0.held }
        return recorded.count { !held.contains($0.slot) && !file.isLocked(Self.lock($0.slot)) }
    }

    /// Records that this process renders an original from now on.
    package func begin(_ original: Digest) async -> Entry {
        await run { [self] file in
            state.withLock { state in
                let recorded = Self.recorded(in: file)
                for (slot, digest) in recorded where digest == original {
                    if take(slot, file, &state) { return Entry(slot: slot, isSuspect: true) }
                }
                let slot = state.free.popLast() ?? another(recorded, file, &state)
                if let slot { file.write(original.bytes, at: slot * Digest.byteCount) }
                return Entry(slot: slot, isSuspect: false)
            }
        } ?? Entry(slot: nil, isSuspect: false)
    }

    /// Ends the record of an original.
    ///
    /// - Parameter isSuspect: whether the original is still one.
    package func end(_ entry: Entry, isSuspect: Bool = false) async {
        guard let slot = entry.slot else { return }
        await run { [self] file in
            state.withLock { state in
                if isSuspect {
                    state.held.remove(slot)
                    file.unlock(Self.lock(slot))
                } else {
                    file.write(Self.zeros, at: slot * Digest.byteCount)
                    state.free.append(slot)
                }
            }
        }
    }

    /// Clears this process's slots. Call it when no render is running. Idempotent.
    package func close() {
        guard let file else { return }
        state.withLock { state in
            for slot in state.held {
                file.write(Self.zeros, at: slot * Digest.byteCount)
                file.unlock(Self.lock(slot))
            }
            state = State()
        }
    }

    /// Locks a slot for this process. Returns false if some process has it.
    private func take(_ slot: Int, _ file: SharedFile, _ state: inout State) -> Bool {
        guard !state.held.contains(slot),
            Errno.optional({ () throws(Errno) in try file.lock(Self.lock(slot)) }) == true
        else { return false }
        state.held.insert(slot)
        return true
    }

    /// Locks a slot that is empty, or else that of a suspect; nil if all slots are in use.
    private func another(
        _ recorded: [(slot: Int, digest: Digest)], _ file: SharedFile, _ state: inout State
    ) -> Int? {
        let filled = recorded.map(\.slot)
        let first = Int.random(in: 0..<Self.slots)
        let empty = (0..<Self.slots).lazy.map { (first + $0) % Self.slots }
            .filter { [filled = Set(filled)] in !filled.contains($0) }
        return empty.first { take($0, file, &state) } ?? filled.first { take($0, file, &state) }
    }

    /// The byte that is locked for a slot, behind all of them.
    private static func lock(_ slot: Int) -> Int { size + slot }

    private static func recorded(in file: SharedFile) -> [(slot: Int, digest: Digest)] {
        let bytes = file.read(size, at: 0) ?? []
        return (0..<bytes.count / Digest.byteCount).compactMap { slot in
            let digest = bytes[slot * Digest.byteCount..<(slot + 1) * Digest.byteCount]
            guard digest.contains(where: { $0 != 0 }) else { return nil }
            return Digest(bytes: digest).map { (slot, $0) }
        }
    }

    /// Returns nil if nothing is recorded.
    @discardableResult
    private func run<Value: Sendable>(
        _ work: @escaping @Sendable (SharedFile) -> Value
    ) async -> Value? {
        guard let file else { return nil }
        return await threads.run { work(file) }
    }
}
