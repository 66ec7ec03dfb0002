import Glibc
import Hashing
import Synchronization

/// The last starts of transfers to each host, for all processes that use the cache, so that a rate
/// holds for all together in any window.
///
/// The starts are in ``SharedPage``, a slot per host, changed under a lock. If the file can't be used,
/// each process keeps its rates for itself. Calls block for a few microseconds. Any thread.
package final class SharedRates: Sendable {
    private struct State {
        var file: SharedFile?
        /// The slots of hosts, as they were found last.
        var numbers: [UInt64: Int] = [:]
        /// Since when another process has had the lock, in nanoseconds.
        var lockedSince: Int64?
    }

    /// Hosts that are remembered. Of more, the one that was asked longest ago is forgotten.
    private static let slots = place.count / RateSlot.byteCount
    private static let place = SharedPage.rates
    /// The time until the next attempt if another process has the lock.
    private static let pause = Duration.milliseconds(1)
    /// A process that has the lock for longer is stopped. Transfers then start without it.
    static let patience = Duration.seconds(1)

    private let layout: StoreLayout
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())

    package convenience init(of index: Index) { self.init(index.layout) }

    /// - Parameter now: nanoseconds of a clock that all processes share.
    init(_ layout: StoreLayout, now: @escaping @Sendable () -> Int64 = machineTime) {
        self.layout = layout
        self.now = now
    }

    /// Calls `begin`, unless `count` transfers started within `window` before. Records a start if
    /// `begin` returns true. No other process starts a transfer meanwhile.
    ///
    /// - Parameter begin: must not block.
    /// - Returns: nil if `begin` was called, otherwise the time until a transfer may start.
    package func start(
        _ host: String, count: Int, per window: Duration, _ begin: () -> Bool = { true }
    ) -> Duration? {
        guard count > 0, count <= RateSlot.maxStarts else {
            _ = begin()
            return nil
        }
        return state.withLock { state in
            let known = state.file
            state.file = SharedFile.current(known, at: layout.shared)
            if state.file !== known { state.numbers = [:] }
            guard let file = state.file, let isLocked = file.lock(Self.place, waiting: false) else {
                _ = begin()
                return nil
            }
            guard isLocked else { return self.wait(&state, begin) }
            defer { file.unlock(Self.place) }
            state.lockedSince = nil
            let key = Digest(of: Array(host.utf8)).words.0 | 1
            guard let (number, found) = find(key, in: file, at: state.numbers[key]) else {
                _ = begin()
                return nil
            }
            state.numbers[key] = number
            var slot = found
            let now = now()
            if let wait = slot.wait(count, window.nanoseconds, at: now) {
                return .nanoseconds(wait)
            }
            guard begin() else { return nil }
            slot.record(now)
            file.write(slot.bytes, at: Self.place.offset + number * RateSlot.byteCount)
            return nil
        }
    }

    /// Another process has the lock. That takes microseconds, unless it was stopped.
    private func wait(_ state: inout State, _ begin: () -> Bool) -> Duration? {
        let now = now()
        let since = state.lockedSince ?? now
        state.lockedSince = since
        guard now - since >= Self.patience.nanoseconds else { return Self.pause }
        _ = begin()
        return nil
    }

    private func find(
        _ key: UInt64, in file: SharedFile, at known: Int?
    ) -> (number: Int, slot: RateSlot)? {
        if let known, let slot = slots(1, from: known, in: file)?.first, slot.key == key {
            return (known, slot)
        }
        guard let slots = slots(Self.slots, from: 0, in: file) else { return nil }
        if let number = slots.firstIndex(where: { $0.key == key }) {
            return (number, slots[number])
        }
        let oldest = slots.indices.min { slots[$0].newest < slots[$1].newest }
        return (oldest ?? 0, RateSlot(key: key))
    }

    private func slots(_ count: Int, from first: Int, in file: SharedFile) -> [RateSlot]? {
        let size = RateSlot.byteCount
        return file.read(count * size, at: Self.place.offset + first * size).map { bytes in
            (0..<count).map { number in
                let start = min(number * size, bytes.count)
                return RateSlot(bytes[start..<min(start + size, bytes.count)])
            }
        }
    }
}

/// Nanoseconds since the machine started. All processes share this clock.
private func machineTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, fraction) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : product + fraction / 1_000_000_000
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

    /// Returns the time until fewer than `count` starts are within the window; nil if they are.
    func wait(_ count: Int, _ window: Int64, at now: Int64) -> Int64? {
        let recent = starts.filter { $0 <= now && now - $0 < window }.sorted()
        return recent.count < count ? nil : recent[recent.count - count] - now + window
    }

    /// Adds a start. Forgets the oldest, and those of the future: the machine was started again.
    mutating func record(_ now: Int64) {
        starts = starts.filter { $0 <= now }.sorted().suffix(Self.maxStarts - 1) + [now]
    }

    /// Reads a slot. Damaged ones are free.
    init(_ bytes: ArraySlice<UInt8>) {
        let words = Array(bytes).sharedWords
        guard words.count == Self.maxStarts + 2, words[1] <= UInt64(Self.maxStarts) else { return }
        key = words[0]
        // Starts of the future are of another run of the machine, and are ignored when they count.
        starts = words[2..<2 + Int(words[1])].map { Int64(bitPattern: $0) }.filter { $0 >= 0 }
    }

    var bytes: [UInt8] {
        let words = [key, UInt64(starts.count)] + starts.map { UInt64(bitPattern: $0) }
        let rest = [UInt64](repeating: 0, count: Self.maxStarts + 2 - words.count)
        return [UInt8](sharedWords: words + rest)
    }
}
