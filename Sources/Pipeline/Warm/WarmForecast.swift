import Fetch
import Store

/// The work that a warm run would do. Its JSON has the names of ``WarmSummary``, and those of what is
/// stored.
package struct WarmForecast: Sendable, Equatable, Codable {
    /// From what bytes are estimated.
    package enum Basis: String, Sendable, Codable {
        /// Sizes that the origins of a few pictures told.
        case sample
        /// The mean size of the stored originals.
        case storedOriginals
        /// Nothing: there are 0.
        case nothing
    }

    /// Rows that were read of a list, those that repeat an item, and those that can't be read; nil for a
    /// catalog.
    package var rows: Int?
    package var doubles: Int?
    package var refused: Int?
    package var items = 0
    /// Items with a thumbnail that is not stored.
    package var missing = 0
    /// Items whose thumbnails are stored, and expired.
    package var stale = 0
    package var fresh = 0
    /// Items for which the origin is asked. Each may need an original.
    package var originals = 0
    package var requests = 0
    package var bytesFetched = 0
    /// What the missing thumbnails and their originals take on disk, by what is stored; nil if too little is
    /// stored to tell.
    package var bytesStored: Int?
    package var filesStored: Int?
    /// Whether that is by the sizes that such pictures usually have, because too little is stored to tell.
    package var isUsual: Bool?
    /// The same in parts: the originals, then each level in each format, the smallest level first; nil if too
    /// little is stored to tell.
    package var parts: [Part]?
    /// What the result takes with fewer thumbnails; nil if there is nothing to leave out.
    package var smaller: Smaller?
    package var sample: WarmSample?
    /// What is free of `cache.budget` and `cache.maxFiles`.
    package var freeBytes = 0
    package var freeFiles = 0
    /// Thumbnails that are not stored.
    package var thumbnails = 0
    package var reused = 0
    /// Items with a remembered failure.
    package var placeholders = 0
    package var fallbacks = 0
    package var failed = 0
    /// What the rates alone take: that of the run, and those of the hosts that each item asks.
    package var seconds = 0.0
    package var basis = Basis.nothing
    package var dryRun = true
    /// Pages of the list that were read from the store because their source could not be read.
    package var stalePages: [StalePage] = []

    /// A part of what a result takes on disk.
    package struct Part: Sendable, Equatable, Codable {
        /// Both are nil for the originals.
        package var level: String?
        package var format: String?
        package var bytes: Int
    }

    /// A result without some of the thumbnails.
    package struct Smaller: Sendable, Equatable, Codable {
        /// `level xl`, or `format jpeg`.
        package var without: String
        package var bytes: Int
    }

    /// - Parameter onlyMissing: whether the run leaves expired pictures alone.
    mutating func add(_ need: ItemLack, onlyMissing: Bool) {
        items += 1
        switch need.state {
        case .missing: missing += 1
        case .stale: stale += 1
        case .fresh: fresh += 1
        }
        thumbnails += need.thumbnails
        reused += need.reused
        placeholders += need.isPlaceholder ? 1 : 0
        fallbacks += need.fallback == nil ? 0 : 1
        if need.asksOrigin, !onlyMissing || need.state == .missing { originals += 1 }
    }

    /// Estimates requests, bytes and seconds.
    ///
    /// - Parameters:
    ///   - meanBytes: of the stored originals; nil without one.
    ///   - rate: items begun per second; nil for no limit.
    ///   - rates: of the hosts that each item asks once.
    mutating func estimate(meanBytes: Int?, rate: Double? = nil, _ rates: [HostPolicy.Rate] = []) {
        requests = originals
        seconds = rate.map { Double(originals) / $0 } ?? 0
        for rate in rates {
            // The first window's requests start at once.
            seconds = max(seconds, Double(max(0, originals - rate.count)) / rate.perSecond)
        }
        if let sample, sample.sized > 0 {
            basis = .sample
            // As many of the others have no picture.
            let there = originals * (sample.asked - sample.absent) / max(1, sample.asked)
            bytesFetched = sample.meanBytes * there
        } else if let meanBytes {
            basis = .storedOriginals
            bytesFetched = meanBytes * originals
        }
    }
}
