import Hashing

/// The content of the ledger: a record of 32 bytes for each place.
struct LedgerCounts: Sendable {
    static let byteCount = CountedPlace.all.count * recordSize
    private static let recordSize = 32
    /// Makes a record of zeros, as in a cut file, invalid.
    private static let salt: UInt64 = 0x5649_5452_494E_4531
    /// Larger counts are damaged. A petabyte in each place can still be added up.
    private static let maxCount: Int64 = 1 << 50

    /// Bytes, files, version and check of one place.
    private struct Record: Equatable {
        /// Not counted yet if negative.
        var bytes: Int64
        var files: Int64
        /// Changes since the ledger was made, in the lower half, and in the upper one the start of
        /// the machine at which the place was counted.
        var version: UInt64

        static let unknown = Record(bytes: -1, files: 0, version: 0)

        var boot: UInt32 { UInt32(version >> 32) }

        /// Returns the version after a change.
        func next(_ boot: UInt32) -> UInt64 {
            UInt64(boot) << 32 | UInt64(UInt32(truncatingIfNeeded: version) &+ 1)
        }

        var isCounted: Bool { bytes >= 0 }
        var isPlausible: Bool {
            bytes <= LedgerCounts.maxCount && (0...LedgerCounts.maxCount).contains(files)
        }

        /// A sum that tells torn and damaged records.
        var check: UInt64 {
            var sum = LedgerCounts.salt
            for word in [UInt64(bitPattern: bytes), UInt64(bitPattern: files), version] {
                sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
                sum ^= sum >> 29
            }
            return sum
        }
    }

    private var records: [Record]
    /// Whether a record that was read is neither one of a ledger nor missing.
    private(set) var hasDamage = false

    /// Zeros that were counted at a start of the machine.
    static func empty(_ boot: UInt32) -> LedgerCounts {
        let zero = Record(bytes: 0, files: 0, version: UInt64(boot) << 32)
        return LedgerCounts(records: Array(repeating: zero, count: CountedPlace.all.count))
    }

    /// Nothing is counted but what is measured anyway.
    static let unknown = LedgerCounts(
        records: Array(repeating: .unknown, count: CountedPlace.all.count))

    private init(records: [Record]) {
        assert(records.count == CountedPlace.all.count, "a place has no record")
        self.records = records
    }

    /// Reads the content of the file. Damaged and missing records are not counted.
    init(bytes: [UInt8]) {
        let words = bytes.sharedWords
        var hasDamage = false
        records = (0..<CountedPlace.all.count).map { number in
            let start = number * Self.recordSize / 8
            guard start + 4 <= words.count else { return .unknown }
            let record = Record(
                bytes: Int64(bitPattern: words[start]), files: Int64(bitPattern: words[start + 1]),
                version: words[start + 2])
            if record.check == words[start + 3], record.isPlausible { return record }
            // Zeros are what a full disk or a cut has left.
            hasDamage = hasDamage || words[start..<start + 4].contains { $0 != 0 }
            return .unknown
        }
        self.hasDamage = hasDamage
        assert(records.allSatisfy(\.isPlausible), "a damaged record is believed")
    }

    var bytes: [UInt8] { records.flatMap(Self.bytes) }

    private static func bytes(_ record: Record) -> [UInt8] {
        [UInt8](sharedWords: [
            UInt64(bitPattern: record.bytes), UInt64(bitPattern: record.files), record.version,
            record.check,
        ])
    }

    /// Returns the records that differ, with their offset in the file.
    func changes(since earlier: LedgerCounts) -> [(offset: Int, bytes: [UInt8])] {
        assert(records.count == earlier.records.count, "counts of other places are compared")
        return records.indices.filter { records[$0] != earlier.records[$0] }.map {
            ($0 * Self.recordSize, Self.bytes(records[$0]))
        }
    }

    mutating func add(_ added: DiskUsage, to place: CountedPlace) {
        var record = records[place.number]
        record.version = record.next(record.boot)
        if record.isCounted {
            record.bytes = min(max(0, record.bytes + Int64(added.bytes)), Self.maxCount)
            record.files = min(max(0, record.files + Int64(added.files)), Self.maxCount)
        }
        assert(record.isPlausible, "a count leaves its bounds")
        assert(record.isCounted == records[place.number].isCounted, "a change counts a place")
        assert(record.version != records[place.number].version, "a change shows in no version")
        records[place.number] = record
    }

    /// - Parameter boot: the start of the machine.
    mutating func set(_ place: CountedPlace, to found: DiskUsage, _ boot: UInt32) {
        let version = records[place.number].next(boot)
        records[place.number] = Record(
            bytes: min(max(0, Int64(found.bytes)), Self.maxCount),
            files: min(max(0, Int64(found.files)), Self.maxCount), version: version)
        assert(records[place.number].isCounted, "a place was counted and isn't")
        assert(records[place.number].boot == boot, "a count is of another start of the machine")
    }

    func version(of place: CountedPlace) -> UInt64 { records[place.number].version }

    func usage(of place: CountedPlace) -> DiskUsage? {
        let record = records[place.number]
        guard record.isCounted else { return nil }
        return DiskUsage(bytes: Int(record.bytes), files: Int(record.files))
    }

    /// The places that have to be counted.
    var uncounted: [CountedPlace] {
        CountedPlace.all.filter { !records[$0.number].isCounted }
    }

    var uncountedFans: [Int] { (0..<256).filter { !records[$0].isCounted } }

    /// The first-level directories that were counted before this start of the machine.
    func unconfirmed(_ boot: UInt32) -> [Int] {
        (0..<256).filter { records[$0].isCounted && records[$0].boot != boot }
    }

    /// The sum over all blobs. Directories that are not counted are taken for as large as the
    /// others on average.
    var blobs: DiskUsage {
        var sum = DiskUsage()
        var counted = 0
        for fan in 0..<256 {
            guard let usage = usage(of: .fan(fan)) else { continue }
            sum += usage
            counted += 1
        }
        assert(sum.bytes >= 0 && sum.files >= 0, "blobs take less than nothing")
        guard counted > 0, counted < 256 else { return sum }
        return DiskUsage(
            bytes: sum.bytes / counted * 256, files: sum.files / counted * 256)
    }

    /// The sum over all places.
    var total: DiskUsage {
        var total = blobs
        for place in [CountedPlace.quarantine, .upkeep] {
            if let usage = usage(of: place) { total += usage }
        }
        return total
    }
}

extension LedgerCounts: Equatable {
    static func == (left: LedgerCounts, right: LedgerCounts) -> Bool {
        left.records == right.records
    }
}

/// A part of the cache with a count of its own in the ``Ledger``.
enum CountedPlace: Hashable, Sendable {
    /// A first-level directory of blobs, 0 to 255.
    case fan(Int)
    case quarantine
    /// Databases, journals and the ledger, as they were measured last.
    case upkeep

    static let all = (0..<256).map(CountedPlace.fan) + [.quarantine, .upkeep]

    var number: Int {
        switch self {
        case .fan(let number): number
        case .quarantine: 256
        case .upkeep: 257
        }
    }
}

extension CountedPlace {
    /// The first-level directory of a blob.
    init(_ digest: Digest) { self = .fan(digest.fan) }
}

extension Digest {
    /// The number of its first-level directory.
    var fan: Int { Int(words.0 >> 56) }
}
