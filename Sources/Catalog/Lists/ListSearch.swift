import Glibc

/// Words that are looked for in the rows of a list. Pure.
struct ListSearch: Sendable, Equatable {
    /// Each is in the title or in the id.
    private let words: [[UInt8]]
    /// Is in the title, blanks included; empty for any.
    private let title: [UInt8]

    /// - Parameters:
    ///   - words: separated by white space; nil for any.
    ///   - title: a part of the title; nil for any.
    init(words: String?, title: String?) {
        self.words = (words ?? "").split(whereSeparator: \.isWhitespace).map {
            ListTexts.folded(String($0))
        }
        self.title = title.map(ListTexts.folded) ?? []
    }

    var isEmpty: Bool { words.isEmpty && title.isEmpty }

    /// Columns of the signatures that every block with a match has.
    var columns: Set<Int> {
        (words + [title]).reduce(into: []) { $0.formUnion(ListTexts.columns(of: $1[...])) }
    }

    /// The longest part, by which lines are found.
    private var longest: [UInt8] {
        (words + [title]).max { $0.count < $1.count } ?? []
    }

    /// Calls `body` with the number of each matching line of a block, in their order.
    func matches(in block: [UInt8], _ body: (Int) -> Void) {
        let longest = longest
        var (line, start) = (0, 0)
        while start < block.count, let found = Self.find(longest, in: block, from: start) {
            // The line that it is in.
            while let end = Self.find([ListTexts.lineFeed], in: block, from: start), end < found {
                line += 1
                start = end + 1
            }
            guard let end = Self.find([ListTexts.lineFeed], in: block, from: start) else { return }
            if matches(Array(block[start..<end])) { body(line) }
            line += 1
            start = end + 1
        }
    }

    private func matches(_ line: [UInt8]) -> Bool {
        let end = line.lastIndex(of: ListTexts.separator) ?? line.count
        if !title.isEmpty, Self.find(title, in: Array(line[..<end]), from: 0) == nil {
            return false
        }
        return words.allSatisfy { Self.find($0, in: line, from: 0) != nil }
    }

    private static func find(_ part: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = part.first else { return nil }
        return bytes.withUnsafeBytes { bytes in
            part.withUnsafeBytes { part -> Int? in
                guard let base = bytes.baseAddress, let wanted = part.baseAddress else {
                    return nil
                }
                var place = start
                while place + part.count <= bytes.count {
                    let left = bytes.count - part.count + 1 - place
                    guard let found = memchr(base + place, Int32(first), left) else { return nil }
                    place = UnsafeRawPointer(found) - base
                    if memcmp(base + place, wanted, part.count) == 0 { return place }
                    place += 1
                }
                return nil
            }
        }
    }
}

extension ListIndex {
    /// Rows that a search has found.
    struct Found {
        var pictures: [ListedPicture] = []
        /// Their numbers in the list.
        var rows: [Int] = []
        /// Where a further search continues; nil if all rows were looked at.
        var next: Int?
    }

    /// Blocks that one search reads, at most; they have 2.5 million rows. A word that is in nearly all of them
    /// fills a page sooner, and signatures don't say which blocks have a word of one or two letters.
    private static let mostBlocks = 20_000

    /// Returns the rows that match, in the list's order.
    ///
    /// - Parameters:
    ///   - start: the number of the first row that is looked at.
    ///   - limit: rows that are returned, at most.
    ///   - isReversed: whether the list is read from its end: `start` then counts from there.
    func search(
        _ search: ListSearch, from start: Int, limit: Int, isReversed: Bool = false
    ) -> Found {
        var found = Found()
        guard start < count else { return found }
        var reader = Reader(self)
        do throws(Damage) {
            let possible = try candidates(search, &reader)
            var read = 0
            let first = isReversed ? count - 1 - start : start
            var block = first / Int(ListTexts.rows)
            while block >= 0, block < Int(head.textBlocks) {
                defer { block += isReversed ? -1 : 1 }
                guard possible?.has(block) ?? true else { continue }
                if read == Self.mostBlocks {
                    let edge =
                        isReversed
                        ? (block + 1) * Int(ListTexts.rows) - 1 : block * Int(ListTexts.rows)
                    found.next = isReversed ? count - 1 - min(edge, count - 1) : edge
                    break
                }
                read += 1
                var rows: [Int] = []
                search.matches(in: try text(ofBlock: UInt64(block), &reader)) {
                    rows.append(block * Int(ListTexts.rows) + $0)
                }
                rows.removeAll { isReversed ? $0 > first : $0 < first }
                for row in isReversed ? rows.reversed() : rows {
                    if found.rows.count == limit {
                        found.next = isReversed ? count - 1 - row : row
                        break
                    }
                    found.rows.append(row)
                }
                if found.next != nil { break }
            }
        } catch {
            note(error)
        }
        // A row at a time: they may be anywhere in the list.
        for row in found.rows { found.pictures += pictures(row..<row + 1) }
        return found
    }

    private func text(ofBlock block: UInt64, _ reader: inout Reader) throws(Damage) -> [UInt8] {
        let ends = try reader.bytes(16, at: head.directory + block * 8).words
        guard ends[0] >= head.texts, ends[1] >= ends[0], ends[1] <= head.directory else {
            throw Damage(reason: "it names a place without a row")
        }
        return try reader.bytes(Int(ends[1] - ends[0]), at: ends[0])
    }

    /// The blocks that may have a match.
    private struct Candidates {
        /// A bit for each block.
        var bits: [UInt64]

        func has(_ block: Int) -> Bool { bits[block / 64] >> UInt64(block % 64) & 1 == 1 }
    }

    /// Returns nil if any block may have one.
    private func candidates(
        _ search: ListSearch, _ reader: inout Reader
    ) throws(Damage) -> Candidates? {
        let (blocks, columns) = (head.textBlocks, search.columns)
        guard blocks > ListTexts.fewest, !columns.isEmpty else { return nil }
        var bits: [UInt64] = []
        var (first, place): (UInt64, UInt64) = (0, head.signatures)
        while first < blocks {
            let size = ListTexts.columnBytes(blocks, from: first)
            var segment = [UInt64](repeating: .max, count: Int(size / 8))
            for column in columns.sorted() {
                let words = try reader.bytes(Int(size), at: place + UInt64(column) * size).words
                for index in segment.indices { segment[index] &= words[index] }
            }
            bits += segment
            place += size * ListTexts.columns
            first += ListTexts.segment
        }
        return Candidates(bits: bits)
    }
}
