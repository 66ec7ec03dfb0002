/// Requests for pictures, by whether they were in the cache, memory included.
package struct ServedCounts: Sendable, Equatable {
    package var hits = 0
    package var misses = 0

    package init(hits: Int = 0, misses: Int = 0) {
        self.hits = hits
        self.misses = misses
    }

    /// From 0 to 1; nil without requests.
    package var hitRatio: Double? {
        let all = Double(hits) + Double(misses)
        return all > 0 ? Double(hits) / all : nil
    }

    static func + (left: Self, right: Self) -> Self {
        Self(hits: left.hits &+ right.hits, misses: left.misses &+ right.misses)
    }
}

extension SharedPage {
    /// The requests that all processes on a cache have answered since it was made. A damaged number counts
    /// nothing.
    var servedCounts: ServedCounts { read(Self.served).map(ServedCounts.init(shared:)) ?? .init() }

    /// Adds the requests of one process, from time to time. Those of the last minute are lost when it is
    /// killed.
    func add(_ counts: ServedCounts) {
        if counts == ServedCounts() { return }
        change(Self.served) { bytes in
            let sum = ServedCounts(shared: bytes) + counts
            return [UInt8](sharedWords: [sum.hits, sum.misses].map { UInt64(clamping: $0) })
        }
    }
}

extension ServedCounts {
    fileprivate init(shared bytes: [UInt8]) {
        let words = bytes.sharedWords
        // More than any cache has answered is damage.
        guard words.allSatisfy({ $0 < 1 << 60 }) else { return }
        (hits, misses) = (Int(words[0]), Int(words[1]))
    }
}
