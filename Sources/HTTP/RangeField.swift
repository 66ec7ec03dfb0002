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
        let unit = 6
        guard value.count > unit, FieldName.equals(value, 0..<unit, "bytes="),
            case .within(let part) = ByteRange(
                UnsafeRawBufferPointer(rebasing: value[unit...]), length: hit.byteCount)
        else {
            self = .other
            return
        }
        self = .part(part)
    }
}
