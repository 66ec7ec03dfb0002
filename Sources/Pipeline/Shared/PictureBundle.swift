import Hashing
import Store

/// Thumbnails of one original in one object. The same thumbnails always have the same bytes.
///
///     8 bytes    "VITRINE1"
///     4          bytes of the header, up to and with its digest
///     4          number of thumbnails
///     32         digest of the original
///     16         recipe
///     of each thumbnail:
///       1 + n    name, such as "m:320x480.webp", after its length
///       4, 4, 4  width, height, bytes
///       32       digest
///     32         digest of the header before this
///     the thumbnails' bytes, in the same order
///
/// Numbers are little-endian.
struct PictureBundle: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        /// See ``SharedKeys/name(_:)``.
        var name: String
        var width: Int
        var height: Int
        var digest: Digest
        var bytes: [UInt8]
    }

    /// Why bytes are not the bundle that they should be, as a phrase.
    struct Damage: Error, Equatable {
        var reason: String
    }

    /// Part of the recipe. Change it with the format.
    static let version = 1
    /// No bundle is larger. Ten thumbnails take about 300 kB.
    static let maxBytes = 64 << 20
    private static let magic = Array("VITRINE1".utf8)
    private static let maxEntries = 4_096

    var original: Digest
    var recipe: String
    var entries: [Entry]

    func encoded() -> [UInt8] {
        var header = Self.magic
        let names = entries.map { Array($0.name.utf8) }
        let size =
            Self.magic.count + 8 + 2 * Digest.byteCount + 16
            + names.map { 1 + $0.count + 12 + Digest.byteCount }.reduce(0, +)
        header.append(number: size)
        header.append(number: entries.count)
        header += original.bytes
        header += Array(recipe.utf8.prefix(16))
        for (entry, name) in zip(entries, names) {
            header.append(UInt8(name.count))
            header += name
            header.append(number: entry.width)
            header.append(number: entry.height)
            header.append(number: entry.bytes.count)
            header += entry.digest.bytes
        }
        header += Digest(of: header).bytes
        return entries.reduce(into: header) { $0 += $1.bytes }
    }

    /// Reads a bundle and compares every byte with its digest.
    init(_ bytes: [UInt8], of original: Digest, recipe: String) throws(Damage) {
        var reader = Reader(bytes: bytes)
        guard try reader.take(Self.magic.count) == Self.magic[...] else {
            throw Damage(reason: "it is not a bundle")
        }
        let size = try reader.number()
        let count = try reader.number()
        guard count <= Self.maxEntries, size <= bytes.count, size >= Digest.byteCount else {
            throw Damage(reason: "its header is damaged")
        }
        let hashed = Array(bytes[..<(size - Digest.byteCount)])
        guard
            Digest(bytes: bytes[(size - Digest.byteCount)..<size]) == Digest(of: hashed)
        else { throw Damage(reason: "its header is damaged") }
        guard try Digest(bytes: reader.take(Digest.byteCount)) == original else {
            throw Damage(reason: "it is of another original")
        }
        guard try reader.take(16).elementsEqual(recipe.utf8) else {
            throw Damage(reason: "it has another recipe")
        }
        var entries: [Entry] = []
        var sizes: [Int] = []
        for _ in 0..<count {
            let length = Int(try reader.byte())
            let name = String(decoding: try reader.take(length), as: UTF8.self)
            let width = try reader.number()
            let height = try reader.number()
            sizes.append(try reader.number())
            guard let digest = try Digest(bytes: reader.take(Digest.byteCount)),
                StoredBounds.holds(width: width, height: height)
            else { throw Damage(reason: "its header is damaged") }
            entries.append(
                Entry(name: name, width: width, height: height, digest: digest, bytes: []))
        }
        _ = try reader.take(Digest.byteCount)
        for index in entries.indices {
            entries[index].bytes = Array(try reader.take(sizes[index]))
            guard Digest(of: entries[index].bytes) == entries[index].digest else {
                throw Damage(reason: "\(entries[index].name) doesn't have its digest")
            }
        }
        guard reader.isAtEnd else { throw Damage(reason: "it is too long") }
        self.original = original
        self.recipe = recipe
        self.entries = entries
    }

    init(original: Digest, recipe: String, entries: [Entry]) {
        self.original = original
        self.recipe = recipe
        self.entries = entries
    }

    private struct Reader {
        let bytes: [UInt8]
        private var next = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { next == bytes.count }

        mutating func take(_ count: Int) throws(Damage) -> ArraySlice<UInt8> {
            guard count >= 0, count <= bytes.count - next else {
                throw Damage(reason: "it is cut off")
            }
            defer { next += count }
            return bytes[next..<(next + count)]
        }

        mutating func byte() throws(Damage) -> UInt8 {
            try take(1).first ?? 0
        }

        mutating func number() throws(Damage) -> Int {
            try take(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int) {
        let number = UInt32(clamping: number)
        for shift in [0, 8, 16, 24] as [UInt32] {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
