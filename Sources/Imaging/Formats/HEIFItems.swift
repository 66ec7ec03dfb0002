/// The items in the `meta` box of an AVIF or HEIC (ISO/IEC 14496-12, section 8.11).
struct HEIFItems {
    /// The item that is the picture.
    let primary: Int?
    private var kinds: [Int: Box.Name] = [:]
    private var associations: [Int: [Int]] = [:]
    /// The items that each item is made of.
    private var made: [Int: [Int]] = [:]
    /// The items that complete each item, such as its alpha.
    private var auxiliaries: [Int: [Int]] = [:]
    private var allProperties: [Box] = []
    /// Entries and properties that may still be read, in all boxes of associations.
    private var room = Header.maxParts
    private let locations: Box?
    private let inner: ByteReader?
    private let file: ByteReader

    /// - Parameter meta: the content behind version and flags.
    init(_ meta: ByteReader, file: ByteReader) {
        let boxes = Box.all(in: meta)
        func first(_ name: Box.Name) -> Box? { boxes.first { $0.name == name } }
        self.file = file
        locations = first("iloc")
        inner = first("idat")?.content
        primary = first("pitm").flatMap { box in
            guard let (version, _, content) = box.full else { return nil }
            var reader = content
            return reader.bigEndian(version == 0 ? 2 : 4)
        }
        if let info = first("iinf") { readKinds(info) }
        if let references = first("iref") { readReferences(references) }
        guard let parts = first("iprp").map({ Box.all(in: $0.content) }) else { return }
        allProperties = parts.first { $0.name == "ipco" }.map { Box.all(in: $0.content) } ?? []
        for part in parts where part.name == "ipma" { readAssociations(part) }
    }

    /// The number of pictures, parts of others included.
    var pictures: Int {
        kinds.values.count { ["av01", "hvc1", "grid", "iden", "iovl"].contains($0) }
    }

    /// Whether any item is another's alpha.
    var hasAlpha: Bool { allProperties.contains(where: Self.isAlpha) }

    private static func isAlpha(_ box: Box) -> Bool {
        guard box.name == "auxC", let text = box.full?.content else { return false }
        return text.starts(with: "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")
            || text.starts(with: "urn:mpeg:hevc:2015:auxid:1")
    }

    /// Returns the items that an item is made of, in their order.
    func parts(of item: Int) -> [Int] { made[item] ?? [] }

    /// Returns the items that are an item's alpha.
    func alphas(of item: Int) -> [Int] {
        (auxiliaries[item] ?? []).filter { properties(of: $0).contains(where: Self.isAlpha) }
    }

    /// Whether all items store colors at half the width and height (4:2:0).
    var storesHalfColors: Bool {
        let settings = allProperties.filter { $0.name == "av1C" || $0.name == "hvcC" }
        return !settings.isEmpty
            && settings.allSatisfy { box in
                var reader = box.content
                guard reader.skip(box.name == "av1C" ? 2 : 16), let byte = reader.byte() else {
                    return false
                }
                return box.name == "av1C" ? byte & 0x0C == 0x0C : byte & 3 == 1
            }
    }

    func kind(of item: Int) -> Box.Name? { kinds[item] }

    /// Returns an item's properties in the order in which they apply.
    func properties(of item: Int) -> [Box] {
        (associations[item] ?? []).compactMap { number in
            // 0 means none.
            allProperties.indices.contains(number - 1) ? allProperties[number - 1] : nil
        }
    }

    func property(_ name: Box.Name, of item: Int) -> Box? {
        properties(of: item).first { $0.name == name }
    }

    private mutating func readKinds(_ box: Box) {
        guard let (version, _, content) = box.full else { return }
        var reader = content
        guard reader.skip(version == 0 ? 2 : 4) else { return }
        for entry in Box.all(in: reader) where entry.name == "infe" {
            guard let (version, _, content) = entry.full, version >= 2 else { continue }
            var reader = content
            guard let item = reader.bigEndian(version == 2 ? 2 : 4), reader.skip(2),
                let kind = reader.bigEndian(4)
            else { continue }
            kinds[item] = Box.Name(code: kind)
        }
    }

    private mutating func readReferences(_ box: Box) {
        guard let (version, _, content) = box.full else { return }
        let bytes = version == 0 ? 2 : 4
        for box in Box.all(in: content) where box.name == "dimg" || box.name == "auxl" {
            var reader = box.content
            guard let from = reader.bigEndian(bytes), let count = reader.bigEndian(2) else {
                continue
            }
            room -= 1
            var found: [Int] = []
            for _ in 0..<count {
                guard room > 0, let item = reader.bigEndian(bytes) else { break }
                room -= 1
                found.append(item)
            }
            if box.name == "auxl" {
                for item in found { auxiliaries[item, default: []].append(from) }
            } else if made[from] == nil {
                // The decoder reads the first list, too.
                made[from] = found
            }
        }
    }

    private mutating func readAssociations(_ box: Box) {
        guard let (version, flags, content) = box.full else { return }
        var reader = content
        guard let count = reader.bigEndian(4) else { return }
        for _ in 0..<count {
            guard room > 0, let item = reader.bigEndian(version < 1 ? 2 : 4),
                let properties = reader.byte()
            else { return }
            room -= 1 + properties
            for _ in 0..<properties {
                let isWide = flags & 1 != 0
                guard let number = reader.bigEndian(isWide ? 2 : 1) else { return }
                associations[item, default: []].append(number & (isWide ? 0x7FFF : 0x7F))
            }
        }
    }

    /// Returns the first bytes of an item; nil if it is missing or in another file.
    ///
    /// - Parameter most: how many, in all extents together.
    func data(of wanted: Int, most: Int) -> ByteReader? {
        guard let (version, _, content) = locations?.full, version <= 2 else { return nil }
        var reader = content
        guard let sizes = reader.bigEndian(2), let count = reader.bigEndian(version < 2 ? 2 : 4)
        else { return nil }
        let width = (
            offset: sizes >> 12, length: sizes >> 8 & 15, base: sizes >> 4 & 15,
            index: version == 0 ? 0 : sizes & 15
        )
        for _ in 0..<min(count, Header.maxParts) {
            guard let item = reader.bigEndian(version < 2 ? 2 : 4) else { return nil }
            var method = 0
            if version > 0 {
                guard let flags = reader.bigEndian(2) else { return nil }
                method = flags & 15
            }
            guard reader.skip(2), let base = reader.number(width.base),
                let extents = reader.bigEndian(2)
            else { return nil }
            guard item == wanted else {
                // In one step: with widths of 0, millions of extents take no bytes.
                guard reader.skip(extents * (width.index + width.offset + width.length)) else {
                    return nil
                }
                continue
            }
            guard method < 2, let start = method == 0 ? file : inner else { return nil }
            var bytes: [UInt8] = []
            for _ in 0..<extents {
                guard bytes.count < most else { break }
                guard reader.skip(width.index), let offset = reader.number(width.offset),
                    let length = reader.number(width.length)
                else { return nil }
                var place = start
                guard place.skip(base), place.skip(offset) else { return nil }
                // 0 means up to the end.
                let count = length == 0 ? place.remaining : min(length, place.remaining)
                bytes += place.bytes(min(count, most - bytes.count)) ?? []
                // Millions of extents may have no bytes.
                if count == 0 { return nil }
            }
            return ByteReader(bytes)
        }
        return nil
    }
}

extension ByteReader {
    /// Reads a number of 0, 4 or 8 bytes; nil for other widths and for more than a file can hold.
    fileprivate mutating func number(_ width: Int) -> Int? {
        switch width {
        case 0: return 0
        case 4: return bigEndian(4)
        case 8:
            guard let high = bigEndian(4), let low = bigEndian(4), high < 1 << 20 else {
                return nil
            }
            return high << 32 | low
        default: return nil
        }
    }
}
