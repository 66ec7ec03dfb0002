/// What the one range of a request asks for (RFC 9110, section 14). Pure; allocates nothing.
enum RangeField: Equatable {
    /// The field doesn't count, so the whole is sent.
    case whole
    case part(Range<Int>)
    /// Several ranges, or one that can't be satisfied or read: responders know those rules.
    case other

    /// - Parameters:
    ///   - value: the value of `Range`.
    ///   - condition: the value of `If-Range`.
    init(
        _ value: UnsafeRawBufferPointer, of hit: PreparedHit, _ condition: UnsafeRawBufferPointer?
    ) {
        guard hit.route.hasRanges else {
            self = .whole
            return
        }
        if let condition, !hit.entityTag.equals(condition), !hit.lastModified.equals(condition) {
            self = .whole
            return
        }
        self = Self.range(value, hit.byteCount).map { .part($0) } ?? .other
    }

    private static func range(_ value: UnsafeRawBufferPointer, _ length: Int) -> Range<Int>? {
        let unit = 6
        guard value.count > unit, FieldName.equals(value, 0..<unit, "bytes=") else { return nil }
        let text = value[unit...]
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (before, after) = (text[..<dash], text[(dash + 1)...])
        if before.isEmpty {
            guard let last = number(after), last > 0, length > 0 else { return nil }
            return max(0, length - last)..<length
        }
        guard let first = number(before), first < length else { return nil }
        if after.isEmpty { return first..<length }
        guard let last = number(after), last >= first else { return nil }
        return first..<min(last + 1, length)
    }

    /// Reads at most 15 digits, so that the number can't overflow.
    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (1...15).contains(text.count) else { return nil }
        var number = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }
}
