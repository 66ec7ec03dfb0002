import Glibc
import Hashing
import Synchronization

/// When blobs were last used, roughly, without a write per use.
///
/// A use stores the time in a slot of memory that the blob's digest selects. Slots are written to
/// `v2/uses` from time to time, and those of other processes are read then. A crash loses the uses
/// since the last write. Blobs that share a slot count as used when either was.
///
/// ``touch(_:at:)`` and ``age(of:at:)`` never block. ``exchange(at:)`` blocks. Any thread.
final class LastUses: Sendable {
    /// Seconds of one step. 65,536 steps are 388 days.
    static let step = 512
    /// 16 bits a slot: 8 MB at most, of memory and of disk.
    private static let maxSlots = 4 << 20
    private static let minSlots = 64 << 10
    /// Slots that are read and written at a time.
    private static let page = 4_096

    private let layout: StoreLayout
    private let slots: Slots
    private let changed: Slots
    private let exchanging = Mutex(())

    /// - Parameter blobs: about as many are expected.
    init(_ layout: StoreLayout, blobs: Int) {
        self.layout = layout
        var count = Self.minSlots
        while count < min(blobs, Self.maxSlots) { count *= 2 }
        slots = Slots(count)
        changed = Slots(count / Self.page)
    }

    /// The step of a time; never 0, which means unknown.
    private static func step(at seconds: Int) -> UInt16 {
        let step = UInt16(truncatingIfNeeded: seconds / Self.step)
        return step == 0 ? 1 : step
    }

    private func slot(of digest: Digest) -> Int {
        // Bytes that don't choose the directory, so that blobs of one directory have many slots.
        Int(truncatingIfNeeded: digest.words.1 & UInt64(slots.count - 1))
    }

    /// Records a use at a time, in seconds since 1970.
    func touch(_ digest: Digest, at seconds: Int) {
        let slot = slot(of: digest)
        let now = Self.step(at: seconds)
        // Frequent uses only read, so that threads don't contend.
        if slots[slot] == now { return }
        slots[slot] = now
        changed[slot / Self.page] = 1
    }

    /// Returns the seconds since the last use; nil if none is known.
    func age(of digest: Digest, at seconds: Int) -> Int? {
        let step = slots[slot(of: digest)]
        if step == 0 { return nil }
        return Int(Self.step(at: seconds) &- step) * Self.step
    }

    /// Writes the slots that changed, and reads those of other processes. Blocks. Without a disk the
    /// uses stay in memory.
    func exchange(at seconds: Int) throws(StoreError) {
        var failure: StoreError?
        exchanging.withLock { _ in
            do throws(StoreError) {
                try layout.trying("write", layout.uses) { () throws(Errno) in
                    try exchangePages(at: seconds)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func exchangePages(at seconds: Int) throws(Errno) {
        let file = try FileDescriptor(opening: layout.uses, O_CREAT | O_RDWR)
        // Two processes at a time would lose each other's slots.
        let isLocked = Errno.optional { () throws(Errno) in try file.lock(waiting: true) }
        defer { if isLocked == true { file.unlock() } }
        let now = Self.step(at: seconds)
        for page in 0..<changed.count {
            let wasChanged = changed.exchange(0, at: page) != 0
            let start = page * Self.page
            var bytes = try file.read(Self.page * 2, at: start * 2)
            if bytes.isEmpty, !wasChanged { continue }
            bytes += [UInt8](repeating: 0, count: Self.page * 2 - bytes.count)
            var isNewer = false
            for offset in 0..<Self.page {
                let stored = UInt16(bytes[offset * 2]) | UInt16(bytes[offset * 2 + 1]) << 8
                let own = slots[start + offset]
                if stored == own { continue }
                // The later of two is the one that is fewer steps ago.
                if own != 0, stored == 0 || now &- own < now &- stored {
                    bytes[offset * 2] = UInt8(truncatingIfNeeded: own)
                    bytes[offset * 2 + 1] = UInt8(truncatingIfNeeded: own >> 8)
                    isNewer = true
                } else {
                    slots[start + offset] = stored
                }
            }
            if isNewer {
                do throws(Errno) {
                    try file.write(bytes, at: start * 2)
                } catch {
                    changed[page] = 1
                    throw error
                }
            }
        }
    }
}

/// Numbers that any thread may read and write.
private final class Slots: Sendable {
    // Unsafe only in name, because every access is atomic and the memory lasts as long as this.
    private nonisolated(unsafe) let base: UnsafeMutablePointer<Atomic<UInt16>>
    let count: Int

    init(_ count: Int) {
        self.count = count
        // Zeroed memory that takes no room until it is used. A zero is a valid atomic.
        guard let memory = calloc(count, MemoryLayout<Atomic<UInt16>>.stride) else {
            preconditionFailure("no memory for \(count) slots")
        }
        base = memory.bindMemory(to: Atomic<UInt16>.self, capacity: count)
    }

    deinit { free(base) }

    subscript(_ index: Int) -> UInt16 {
        get { base[index].load(ordering: .relaxed) }
        set { base[index].store(newValue, ordering: .relaxed) }
    }

    func exchange(_ value: UInt16, at index: Int) -> UInt16 {
        base[index].exchange(value, ordering: .relaxed)
    }
}
