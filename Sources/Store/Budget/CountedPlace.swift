import Hashing

/// A part of the cache with a count of its own in the ``Ledger``.
enum CountedPlace: Hashable, Sendable {
    /// A first-level directory of blobs, 0 to 255.
    case fan(Int)
    case quarantine
    /// Databases, journals and the ledger, as they were measured last.
    case upkeep
    /// What an earlier version left.
    case earlier

    static let all = (0..<256).map(CountedPlace.fan) + [.quarantine, .upkeep, .earlier]

    var number: Int {
        switch self {
        case .fan(let number): number
        case .quarantine: 256
        case .upkeep: 257
        case .earlier: 258
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
