/// What one element of `Range` asks for (RFC 9110, section 14.1.2). Pure; allocates nothing.
package enum ByteRange: Equatable {
    case malformed
    /// Valid, and not within the representation.
    case outside
    case within(Range<Int>)

    /// - Parameters:
    ///   - text: such as `0-9`, `5-` or `-7`, without blanks.
    ///   - length: bytes of the whole representation.
    package init(_ text: UnsafeRawBufferPointer, length: Int) {
        self = Self.read(text, length) ?? .malformed
    }

    private static func read(_ text: UnsafeRawBufferPointer, _ length: Int) -> ByteRange? {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (before, after) = (text[..<dash], text[(dash + 1)...])
        if before.isEmpty {
            guard let last = number(after) else { return nil }
            return last > 0 && length > 0 ? .within(max(0, length - last)..<length) : .outside
        }
        guard let first = number(before), let last = after.isEmpty ? .max - 1 : number(after),
            first <= last
        else { return nil }
        return first < length ? .within(first..<min(last + 1, length)) : .outside
    }

    /// Returns a bound. One that is larger than any representation is clamped.
    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard !text.isEmpty else { return nil }
        var number = 0
        var isLarge = false
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            if number < 1 << 58 { number = number * 10 + Int(digit) } else { isLarge = true }
        }
        return isLarge ? .max - 1 : number
    }
}
