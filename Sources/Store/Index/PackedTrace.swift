/// Reads traces that version 0.9 packed: what they repeat of each other, of their URL and of their
/// item is a reference.
///
/// A stored trace begins with 0 and the bytes as they are, or with 1 and a list of entries:
/// `0...127` is followed by one more bytes than that, and `128 + n` by a place. It stands for the
/// `n + 4` bytes at that place of ``vocabulary``, the context and the bytes so far, joined. An empty
/// trace stays empty.
struct PackedTrace {
    /// Begins a trace that is not packed.
    static let plain: UInt8 = 0
    /// Fixed, because packed traces refer to it.
    private static let vocabulary = Array(
        #"""
        {"steps":[{"label":"original","note":"200","outcome":"chosen","url":"https:\/\/"}],"walkedAt":8
        {"walkedAt":7,"steps":[{"outcome":"followed","label":"catalog ","note":"asked"},{"url":"http:\/\/
        "note":"stored, stale"},{"note":"stored"},{"note":"304","outcome":"failed","label":"given"},{
        "outcome":"remembered","note":" has no picture."},{"label":"medium","note":"404"},{"label":"large
        "outcome":"chosen"},{"label":"poster ","url":"note":"The origin answered 404."}, after 2 attempts
        """#.utf8)

    private static let shortest = 4

    /// The vocabulary and the context.
    private let start: [UInt8]

    /// - Parameter context: what the trace is likely to repeat, the same as when it was packed.
    init(context: [String]) {
        // JSON wrote slashes like this.
        start =
            Self.vocabulary
            + context.joined(separator: "\n").utf8.flatMap { byte in
                byte == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), byte] : [byte]
            }
    }

    /// Returns nil if the bytes are not a packed trace with this context.
    func unpacked(_ packed: [UInt8]) -> [UInt8]? {
        guard let form = packed.first else { return [] }
        if form == Self.plain { return Array(packed.dropFirst()) }
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
}
