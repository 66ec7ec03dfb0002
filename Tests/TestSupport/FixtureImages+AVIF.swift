extension FixtureImages {
    /// The same AVIF, to be turned and mirrored for viewing (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
    ///
    /// - Parameters:
    ///   - avif: one picture with its pixels behind the boxes, as the encoder writes it.
    ///   - quarters: to the left.
    ///   - mirror: 0 turns top and bottom over, 1 left and right; nil neither.
    package static func avif(_ avif: [UInt8], quarters: Int, mirror: Int?) -> [UInt8] {
        var added: [(String, [UInt8])] = [("irot", [UInt8(quarters & 3)])]
        if let mirror { added.append(("imir", [UInt8(mirror & 1)])) }
        let boxes = added.flatMap { bigEndian(8 + $1.count) + Array($0.utf8) + $1 }
        var result = avif
        // Associations: version and flags, entries, item, then how many properties and which.
        let known = number(result, at: place("ipco", in: result) - 8)
        var properties = 0
        var at = place("ipco", in: result)
        while at < place("ipco", in: result) - 8 + known {
            properties += 1
            at += number(result, at: at)
        }
        let list = place("ipma", in: result) + 10
        let end = list + 1 + Int(result[list])
        result[list] += UInt8(added.count)
        result.insert(
            contentsOf: added.indices.map { UInt8(0x80 | (properties + 1 + $0)) }, at: end)
        grow("ipma", by: added.count, in: &result)
        let last = place("ipco", in: result) - 8 + known
        result.insert(contentsOf: boxes, at: last)
        grow("ipco", by: boxes.count, in: &result)
        let growth = boxes.count + added.count
        for box in ["iprp", "meta"] { grow(box, by: growth, in: &result) }
        // Version 0, sides of 4 bytes: …, item, reference, extents, then offset and length.
        let offset = place("iloc", in: result) + 4 + 4 + 2 + 2 + 4 + 2
        set(number(result, at: offset) + growth, at: offset, in: &result)
        return result
    }

    /// Where the content of the first box of that name begins.
    static func place(_ box: String, in bytes: [UInt8]) -> Int {
        bytes.firstRange(of: Array(box.utf8))?.upperBound ?? 0
    }

    private static func grow(_ box: String, by count: Int, in bytes: inout [UInt8]) {
        let at = place(box, in: bytes) - 8
        set(number(bytes, at: at) + count, at: at, in: &bytes)
    }

    static func number(_ bytes: [UInt8], at: Int) -> Int {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func set(_ value: Int, at: Int, in bytes: inout [UInt8]) {
        bytes.replaceSubrange(at..<at + 4, with: bigEndian(value))
    }
}
