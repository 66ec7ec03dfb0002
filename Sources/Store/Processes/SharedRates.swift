import Glibc
import Hashing
import Synchronization

/// The last starts of transfers to each host, for all processes that use the cache, so that a rate
/// holds for all together in any window.
///
/// The starts are in `v1/rates`, a slot per host, changed under a lock. If the file can't be used,
/// each process keeps its rates for itself. Calls block for a few microseconds. Any thread.
package final class SharedRates: Sendable {
    /// Hosts that are remembered. Of more, the one that was asked longest ago is forgotten.
    private static let slots = 128

    private let layout: StoreLayout
    private let file = Mutex<RateFile?>(nil)

    package init(of index: Index) { layout = index.layout }

    init(_ layout: StoreLayout) { self.layout = layout }

    /// Records a start, unless `count` transfers started within `window` before.
    ///
    /// - Returns: nil if the transfer may start, otherwise the time until one may.
    package func start(_ host: String, count: Int, per window: Duration) -> Duration? {
        guard count > 0, count <= RateSlot.maxStarts else { return nil }
        let now = Self.now()
        let window =
            Int64(clamping: window.components.seconds) * 1_000_000_000
            + window.components.attoseconds / 1_000_000_000
        return change(host) { slot in
            let recent = slot.starts.filter { $0 <= now && now - $0 < window }.sorted()
            if recent.count >= count {
                return .nanoseconds(recent[recent.count - count] + window - now)
            }
            slot.starts = Array(recent.suffix(RateSlot.maxStarts - 1)) + [now]
            return nil
        }
    }

    /// Takes back the last start, because no transfer was ready.
    package func cancel(_ host: String) {
        _ = change(host) { slot -> Duration? in
            slot.starts = Array(slot.starts.sorted().dropLast())
            return nil
        }
    }

    /// Nanoseconds since the machine started. All processes share this clock.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private func change(_ host: String, _ body: (inout RateSlot) -> Duration?) -> Duration? {
        let key = Digest(of: Array(host.utf8)).words.0 | 1
        return file.withLock { file in
            if file?.isThere != true {
                file = Errno.optional { () throws(Errno) in try RateFile(layout.rates) }
            }
            guard let file else { return nil as Duration? }
            return file.locked { file in
                guard let slots = file.read(Self.slots) else { return nil }
                let number =
                    slots.firstIndex { $0.key == key }
                    ?? slots.indices.min { slots[$0].newest < slots[$1].newest } ?? 0
                var slot = slots[number].key == key ? slots[number] : RateSlot(key: key)
                let wait = body(&slot)
                file.write(slot, number)
                return wait
            }
        }
    }
}

/// The last starts of one host, as they are in the file.
struct RateSlot: Sendable, Equatable {
    /// More than any sensible rate has in a window. Larger rates are not shared.
    static let maxStarts = 62
    static let byteCount = (maxStarts + 2) * 8

    /// Of the host's name; 0 for a free slot.
    var key: UInt64 = 0
    /// Nanoseconds since the machine started.
    var starts: [Int64] = []

    var newest: Int64 { starts.max() ?? .min }

    init(key: UInt64) { self.key = key }

    /// Reads a slot. Damaged ones are free.
    init(_ bytes: ArraySlice<UInt8>) {
        let words = bytes.withUnsafeBytes { raw in
            (0..<raw.count / 8).map {
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
            }
        }
        guard words.count == Self.maxStarts + 2, words[1] <= UInt64(Self.maxStarts) else { return }
        key = words[0]
        // Starts of the future are of another run of the machine, and are ignored when they count.
        starts = words[2..<2 + Int(words[1])].map { Int64(bitPattern: $0) }.filter { $0 >= 0 }
    }

    var bytes: [UInt8] {
        var words = [key, UInt64(starts.count)] + starts.map { UInt64(bitPattern: $0) }
        words += [UInt64](repeating: 0, count: Self.maxStarts + 2 - words.count)
        return words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    }
}

/// The file of slots. Its calls block and never fail; what can't be read counts as nothing.
private final class RateFile: Sendable {
    private let descriptor: FileDescriptor

    init(_ path: String) throws(Errno) {
        descriptor = try FileDescriptor(
            opening: path, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
    }

    var isThere: Bool {
        Errno.optional { () throws(Errno) in try descriptor.status().st_nlink > 0 } ?? false
    }

    func locked<Value>(_ body: (RateFile) -> Value) -> Value {
        let isLocked = Errno.optional { () throws(Errno) in try descriptor.lock(waiting: true) }
        defer { if isLocked == true { descriptor.unlock() } }
        return body(self)
    }

    func read(_ count: Int) -> [RateSlot]? {
        Errno.optional { () throws(Errno) in
            try descriptor.read(count * RateSlot.byteCount, at: 0)
        }.map { bytes in
            (0..<count).map { number in
                let start = min(number * RateSlot.byteCount, bytes.count)
                return RateSlot(bytes[start..<min(start + RateSlot.byteCount, bytes.count)])
            }
        }
    }

    func write(_ slot: RateSlot, _ number: Int) {
        _ = Errno.optional { () throws(Errno) in
            try descriptor.write(slot.bytes, at: number * RateSlot.byteCount)
        }
    }
}
