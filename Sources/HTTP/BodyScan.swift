/// Finds the end of a request's body. Pure.
///
/// Reads chunks (RFC 9112, section 7.1) as strictly as heads. Extensions and trailers are dropped.
package struct BodyScan: Equatable {
    private enum Step: Equatable {
        /// Bytes left of a body of known length.
        case plain(Int)
        case size(digits: Int, value: Int)
        case chunkExtension(size: Int)
        case sizeEnd(size: Int)
        case data(Int)
        case dataReturn, dataEnd
        case trailerStart, trailer, trailerEnd, lastEnd
        case whole, broken
    }

    private var step: Step
    /// Bytes of extensions and trailers, which are ignored.
    private var overhead = 0
    private let maxOverhead: Int

    /// - Parameter maxOverhead: most bytes of extensions and trailers together.
    package init(_ framing: RequestScan.BodyFraming, maxOverhead: Int) {
        self.maxOverhead = maxOverhead
        step =
            switch framing {
            case .none: .whole
            case .length(let length): length > 0 ? .plain(length) : .whole
            case .chunked: .size(digits: 0, value: 0)
            }
    }

    package var isWhole: Bool { step == .whole }
    /// Whether its end can't be found any more.
    package var isBroken: Bool { step == .broken }

    /// Bytes still to come; nil if only the client knows.
    package var left: Int? {
        switch step {
        case .plain(let left): left
        case .whole: 0
        default: nil
        }
    }

    /// Takes bytes and returns how many of them belong to the body.
    ///
    /// - Parameter content: gets those that are not framing.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ content: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) -> Int {
        var index = 0
        while index < bytes.count, !isWhole, !isBroken {
            switch step {
            case .plain(let left):
                let taken = min(left, bytes.count - index)
                content(UnsafeRawBufferPointer(rebasing: bytes[index..<index + taken]))
                index += taken
                step = taken == left ? .whole : .plain(left - taken)
            case .data(let left):
                let taken = min(left, bytes.count - index)
                content(UnsafeRawBufferPointer(rebasing: bytes[index..<index + taken]))
                index += taken
                step = taken == left ? .dataReturn : .data(left - taken)
            default:
                step = next(bytes[index])
                index += 1
            }
        }
        assert(index <= bytes.count, "a body has more bytes than came")
        assert(index == bytes.count || isWhole || isBroken, "a body leaves bytes without an end")
        return index
    }

    private mutating func next(_ byte: UInt8) -> Step {
        let (isReturn, isNewline) = (byte == UInt8(ascii: "\r"), byte == UInt8(ascii: "\n"))
        switch step {
        case .size(let digits, let value):
            if let digit = Self.digit(byte) {
                // At most 60 bits, so that it can't overflow.
                return digits < 15 ? .size(digits: digits + 1, value: value << 4 | digit) : .broken
            }
            guard digits > 0 else { return .broken }
            if isReturn { return .sizeEnd(size: value) }
            return byte == UInt8(ascii: ";") ? .chunkExtension(size: value) : .broken
        case .chunkExtension(let size):
            return isReturn ? .sizeEnd(size: size) : ignored(byte, then: step)
        case .sizeEnd(let size):
            guard isNewline else { return .broken }
            return size == 0 ? .trailerStart : .data(size)
        case .dataReturn: return isReturn ? .dataEnd : .broken
        case .dataEnd: return isNewline ? .size(digits: 0, value: 0) : .broken
        case .trailerStart: return isReturn ? .lastEnd : ignored(byte, then: .trailer)
        case .trailer: return isReturn ? .trailerEnd : ignored(byte, then: .trailer)
        case .trailerEnd: return isNewline ? .trailerStart : .broken
        case .lastEnd: return isNewline ? .whole : .broken
        case .plain, .data, .whole, .broken: return step
        }
    }

    private mutating func ignored(_ byte: UInt8, then step: Step) -> Step {
        overhead += 1
        let isText = byte >= 0x20 && byte != 0x7f || byte == UInt8(ascii: "\t")
        return isText && overhead <= maxOverhead ? step : .broken
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
