import Glibc

/// Small facts that all processes on a cache share, in one file: `v2/shared`.
///
/// Each has its place and its own lock, so that a process that was stopped with one of them holds up
/// nothing else. The kernel releases the locks of a process that dies. What a full disk didn't take, or a
/// power cut lost, reads as zeros. Calls block for a few microseconds. Any thread.
struct SharedPage: Sendable {
    /// A fact in the file.
    struct Place: Sendable {
        let offset: Int
        let count: Int
        /// The byte that is locked while the fact changes, far behind all of them.
        fileprivate let lock: Int

        fileprivate init(_ offset: Int, _ count: Int, lock: Int) {
            self.offset = offset
            self.count = count
            self.lock = 1 << 40 + lock
        }
    }

    /// The number of purges.
    static let purges = Place(0, 8, lock: 0)
    /// How far the scrub is. Locked while a process scrubs.
    static let scrub = Place(8, 8, lock: 1)
    /// The numbers of hits and misses.
    static let served = Place(16, 16, lock: 2)
    /// The number of changes of what is blocked.
    static let blocks = Place(32, 8, lock: 6)
    /// How far the purges of a fleet were followed: a line.
    static let followed = Place(64, 256, lock: 3)
    /// The last starts of transfers to each host.
    static let rates = Place(4_096, 64 << 10, lock: 4)
    /// What the cache takes, as the ``Ledger`` counts it.
    static let ledger = Place(4_096 + 64 << 10, LedgerCounts.byteCount, lock: 5)

    let path: String

    init(_ layout: StoreLayout) { path = layout.shared }

    /// Returns the bytes of a fact; nil if the file can't be read.
    func read(_ place: Place) -> [UInt8]? {
        guard access(path, F_OK) == 0 else {
            return errno == ENOENT ? [UInt8](repeating: 0, count: place.count) : nil
        }
        return SharedFile.existing(path).flatMap { Self.read(place, in: $0) }
    }

    /// Replaces a fact with what `body` makes of it, unless that is nil. Does nothing if the file can't be
    /// used. Goes on without the lock if another process keeps it for ``FileDescriptor/longestWait``, or if the
    /// file system has no locks.
    func change(_ place: Place, _ body: ([UInt8]) -> [UInt8]?) {
        // The lock goes with the file.
        guard let file = SharedFile.current(nil, at: path) else { return }
        _ = file.lock(place, waiting: true)
        guard let known = Self.read(place, in: file), let bytes = body(known) else { return }
        file.write(bytes, at: place.offset)
    }

    private static func read(_ place: Place, in file: SharedFile) -> [UInt8]? {
        file.read(place.count, at: place.offset).map { bytes in
            bytes + [UInt8](repeating: 0, count: place.count - bytes.count)
        }
    }

    /// Returns a count of all processes; nil if the file can't be read.
    func count(_ place: Place) -> UInt64? { read(place)?.sharedWords[0] }

    /// Returns the same from the open file.
    func count(_ place: Place, in file: SharedFile) -> UInt64? {
        Self.read(place, in: file)?.sharedWords[0]
    }

    /// Adds one to a count of all processes.
    ///
    /// - Parameter added: gets the count before and after, while no other process can change it.
    func add(to place: Place, _ added: (_ before: UInt64, _ after: UInt64) -> Void) {
        change(place) { bytes in
            let before = bytes.sharedWords[0]
            let after = before == 0 ? Self.firstCount : before &+ 1
            added(before, after)
            return [UInt8](sharedWords: [after])
        }
    }

    /// The first number of a new file. The numbers of an earlier one were others.
    private static var firstCount: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec) | 1
    }
}

extension SharedFile {
    /// Takes the lock of a fact. Returns false if another open file has it, with `waiting` after
    /// ``FileDescriptor/longestWait``; nil if the file system has no locks.
    func lock(_ place: SharedPage.Place, waiting: Bool) -> Bool? {
        Errno.optional { () throws(Errno) in
            try lock(place.lock, waiting: waiting)
        }
    }

    func unlock(_ place: SharedPage.Place) { unlock(place.lock) }
}

extension [UInt8] {
    /// The little-endian words of a fact.
    var sharedWords: [UInt64] {
        withUnsafeBytes { raw in
            stride(from: 0, to: raw.count - 7, by: 8).map {
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }

    init(sharedWords words: [UInt64]) {
        self = words.map(\.littleEndian).withUnsafeBytes { Array($0) }
    }
}
