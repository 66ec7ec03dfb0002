/// Packs traces: what they repeat of each other, of their URL and of their item becomes a reference.
///
/// A packed trace begins with 0 and the bytes as they are, or with 1 and a list of entries:
/// `0...127` is followed by one more bytes than that, and `128 + n` by a place. It stands for the
/// `n + 4` bytes at that place of ``vocabulary``, the context and the bytes so far, joined. An empty
/// trace stays empty.
struct TraceCoding {
    /// Fixed, because stored traces refer to it.
    private static let vocabulary = Array(
        #"""
        {"steps":[{"label":"original","note":"200","outcome":"chosen","url":"https:\/\/"}],"walkedAt":8
        {"walkedAt":7,"steps":[{"outcome":"followed","label":"catalog ","note":"asked"},{"url":"http:\/\/
        "note":"stored, stale"},{"note":"stored"},{"note":"304","outcome":"failed","label":"given"},{
        "outcome":"remembered","note":" has no picture."},{"label":"medium","note":"404"},{"label":"large
        "outcome":"chosen"},{"label":"poster ","url":"note":"The origin answered 404."}, after 2 attempts
        """#.utf8)

    private static let shortest = 4
    private static let longest = 127 + shortest
    /// Candidates that are compared for each place.
    private static let patience = 24

    /// The vocabulary and the context.
    private let start: [UInt8]

    /// - Parameter context: what traces of this kind are likely to repeat, the same for packing and
    ///   unpacking.
    init(context: [String]) {
        // JSON writes slashes like this.
        start =
            Self.vocabulary
            + context.joined(separator: "\n").utf8.flatMap { byte in
                byte == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), byte] : [byte]
            }
    }

    func packed(_ trace: [UInt8]) -> [UInt8] {
        if trace.isEmpty { return [] }
        let window = start + trace
        var places = Places(window)
        for place in 0..<start.count { places.add(place) }
        var packed: [UInt8] = [1]
        var literals: [UInt8] = []
        var place = start.count
        while place < window.count {
            let match = places.longestMatch(at: place)
            for next in place..<min(window.count, place + max(1, match.count)) { places.add(next) }
            if match.count == 0 {
                literals.append(window[place])
                place += 1
                continue
            }
            Self.add(&literals, to: &packed)
            packed.append(UInt8(128 + match.count - Self.shortest))
            Self.add(place: match.place, to: &packed)
            place += match.count
        }
        Self.add(&literals, to: &packed)
        return packed.count <= trace.count ? packed : [0] + trace
    }

    /// Returns nil if the bytes are not a packed trace with this context.
    func unpacked(_ packed: [UInt8]) -> [UInt8]? {
        guard let form = packed.first else { return [] }
        if form == 0 { return Array(packed.dropFirst()) }
        guard form == 1 else { return nil }
        var window = start
        var rest = packed.dropFirst()
        while let head = rest.popFirst() {
            let count = Int(head & 127)
            if head < 128 {
                guard rest.count > count else { return nil }
                window += rest.prefix(count + 1)
                rest = rest.dropFirst(count + 1)
                continue
            }
            guard let place = Self.place(&rest), place < window.count else { return nil }
            // Byte by byte, because a match may reach into itself.
            for offset in 0..<(count + Self.shortest) {
                window.append(window[place + offset])
            }
        }
        return Array(window.dropFirst(start.count))
    }

    private static func add(_ literals: inout [UInt8], to packed: inout [UInt8]) {
        for first in stride(from: 0, to: literals.count, by: 128) {
            let run = literals[first..<min(literals.count, first + 128)]
            packed.append(UInt8(run.count - 1))
            packed += run
        }
        literals = []
    }

    /// Seven bits at a time, the lowest first.
    private static func add(place: Int, to packed: inout [UInt8]) {
        var rest = place
        while rest > 127 {
            packed.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        packed.append(UInt8(rest))
    }

    private static func place(_ rest: inout ArraySlice<UInt8>) -> Int? {
        var (place, shift) = (0, 0)
        while let byte = rest.popFirst() {
            place |= Int(byte & 127) << shift
            if byte < 128 { return place }
            shift += 7
            if shift > 28 { return nil }
        }
        return nil
    }

    /// Where each four bytes occurred, the latest place first.
    private struct Places {
        private static let bits = 11

        private let window: [UInt8]
        private var latest: [Int32]
        private var earlier: [Int32]

        init(_ window: [UInt8]) {
            self.window = window
            latest = Array(repeating: -1, count: 1 << Self.bits)
            earlier = Array(repeating: -1, count: window.count)
        }

        mutating func add(_ place: Int) {
            guard place + TraceCoding.shortest <= window.count else { return }
            let hash = hash(place)
            earlier[place] = latest[hash]
            latest[hash] = Int32(place)
        }

        /// Returns the longest match of the bytes from here; 0 bytes if there is none.
        func longestMatch(at place: Int) -> (place: Int, count: Int) {
            guard place + TraceCoding.shortest <= window.count else { return (0, 0) }
            let most = min(window.count - place, TraceCoding.longest)
            var best = (place: 0, count: 0)
            var candidate = latest[hash(place)]
            var left = TraceCoding.patience
            while candidate >= 0, left > 0 {
                let other = Int(candidate)
                var count = 0
                while count < most, window[other + count] == window[place + count] { count += 1 }
                if count >= TraceCoding.shortest, count > best.count { best = (other, count) }
                candidate = earlier[other]
                left -= 1
            }
            return best
        }

        private func hash(_ place: Int) -> Int {
            var word: UInt32 = 0
            for offset in 0..<TraceCoding.shortest {
                word = word << 8 | UInt32(window[place + offset])
            }
            return Int((word &* 2_654_435_761) >> (32 - UInt32(Self.bits)))
        }
    }
}
