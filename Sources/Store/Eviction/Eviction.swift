import Hashing

/// Decides which blobs go when the cache needs room. Pure.
///
/// A blob is worth keeping in proportion to the cost of making it again, and less the larger it is
/// and the longer it was not used. That is GreedyDual-Size (Cao and Irani, 1997), applied to a
/// sample of the blobs at a time instead of a queue of all.
struct Eviction: Sendable {
    /// What a blob is to the index.
    enum Role: Sendable, Equatable {
        /// No row refers to it.
        ///
        /// - Parameter mayBeNamed: whether a row may be on its way.
        case orphan(mayBeNamed: Bool)
        /// It can be fetched again.
        case original(hasThumbnails: Bool)
        /// It can be rendered again, after a fetch if its original is gone.
        case thumbnail(hasOriginal: Bool)
    }

    struct Candidate: Sendable, Equatable {
        var digest: Digest
        /// Bytes that its file takes on disk.
        var bytes: Int
        var role: Role
        /// Seconds since its last use, or since it was written.
        var age: Int
        var isPinned = false
    }

    /// How long a blob may be without a row: a picture is stored before it is rendered, and named
    /// after that.
    static let grace = 900

    /// The cost of making a blob again, in seconds of a client that waits for it. An original is
    /// needed only for thumbnails that are missing, so it weighs less.
    static func cost(_ role: Role) -> Double {
        switch role {
        // It may be in use, so it goes only if there is nothing else.
        case .orphan(let mayBeNamed): mayBeNamed ? 1_000_000 : 0
        case .original(let hasThumbnails): hasThumbnails ? 0.25 : 0.5
        case .thumbnail(let hasOriginal): hasOriginal ? 0.5 : 1
        }
    }

    /// Returns how much a blob is worth keeping.
    static func worth(_ candidate: Candidate) -> Double {
        // A minute more, so that the blobs of one burst differ by cost and size only.
        cost(candidate.role)
            / (Double(max(1, candidate.bytes)) * (Double(max(0, candidate.age)) + 60))
    }

    /// Returns the blobs of a sample to remove, the least worth first.
    ///
    /// - Parameters:
    ///   - need: ends as soon as that is freed. Zeros remove nothing but orphans.
    ///   - most: the largest part of the sample that goes. The rest is compared with the next
    ///     sample, so that a bad sample costs little.
    static func victims(
        _ sample: [Candidate], need: DiskUsage, most: Double = 0.25
    ) -> [Candidate] {
        let ranked = sample.filter { !$0.isPinned }
            .map { (worth: worth($0), candidate: $0) }
            .sorted { ($0.worth, $0.candidate.digest) < ($1.worth, $1.candidate.digest) }
        let limit = max(1, Int(Double(sample.count) * most))
        var victims: [Candidate] = []
        var freed = DiskUsage()
        for (worth, candidate) in ranked {
            if worth > 0 {
                if freed.covers(need) || victims.count >= limit { break }
            }
            victims.append(candidate)
            freed += DiskUsage(bytes: candidate.bytes, files: 1)
        }
        return victims
    }
}
