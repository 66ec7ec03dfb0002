import Glibc

/// What the next bytes of a connection are, as far as the fast path has to know. Pure; allocates
/// nothing.
///
/// Strict on purpose: whatever is not written as most clients write it is left to the HTTP codec.
enum RequestScan: Equatable {
    /// The head has not arrived whole.
    case incomplete
    /// GET or HEAD of a thumbnail without anything that needs thought.
    case plain(PlainRequest)
    /// Something else whose end is known beyond doubt.
    case framed(Framing)
    /// Where it ends is the codec's to say.
    case opaque

    /// Where a request ends, counted from its first byte.
    struct Framing: Equatable {
        var headLength: Int
        var bodyLength: Int
        /// Whether the connection ends with its answer.
        var closes: Bool
    }

    /// Ranges count from the first byte of the request.
    struct PlainRequest: Equatable {
        var framing: Framing
        var isHead: Bool
        var target: Range<Int>
        var accept: Range<Int>?
        var entityTag: Range<Int>?
        var modifiedSince: Range<Int>?
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        var scan = HeadScan(bytes)
        self = scan.run()
    }

    /// None that is registered has half as many.
    private static let maxMethodLength = 64

    /// Whether they can be the start of a request at all: a method and a blank, and at the end of the
    /// line a version of HTTP, as far as that has arrived. Other protocols end here.
    static func mayBegin(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Empty lines before a request are forgiven (RFC 9112, section 2.2).
        let start = bytes.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        let method = start.prefix(maxMethodLength + 1).prefix(while: HeadScan.isToken)
        guard method.count <= maxMethodLength else { return false }
        if method.endIndex == start.endIndex { return true }
        guard !method.isEmpty, start[method.endIndex] == UInt8(ascii: " ") else { return false }
        guard let end = start.firstIndex(of: UInt8(ascii: "\n")) else { return true }
        let line = start[..<end].drop(while: { $0 == UInt8(ascii: " ") })
        let version = line.reversed().prefix { $0 != UInt8(ascii: " ") }.reversed()
        return version.starts(with: Array("HTTP/".utf8))
    }
}

/// One pass over a head.
private struct HeadScan {
    private let bytes: UnsafeRawBufferPointer
    /// Start of the line to read next.
    private var position = 0
    private var isPlain = true
    private var isVersion10 = false
    private var hasHost = false
    private var contentLength: Int?
    private var connection: Range<Int>?
    private var request = RequestScan.PlainRequest(
        framing: .init(headLength: 0, bodyLength: 0, closes: false), isHead: false, target: 0..<0)

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func run() -> RequestScan {
        guard let first = nextLine() else { return .incomplete }
        guard let first, scanRequestLine(first) else { return .opaque }
        while true {
            guard let line = nextLine() else { return .incomplete }
            guard let line else { return .opaque }
            if line.isEmpty { break }
            guard scanField(line) else { return .opaque }
        }
        guard scanConnection() else { return .opaque }
        request.framing.headLength = position
        request.framing.bodyLength = contentLength ?? 0
        return isPlain && hasHost && contentLength == nil
            ? .plain(request) : .framed(request.framing)
    }

    /// Outer `nil`: not there yet. Inner `nil`: not ended by CR LF.
    private mutating func nextLine() -> Range<Int>?? {
        guard position < bytes.count, let base = bytes.baseAddress,
            let end = memchr(base + position, Int32(UInt8(ascii: "\n")), bytes.count - position)
        else { return nil }
        let start = position
        let newline = UnsafeRawPointer(end) - base
        position = newline + 1
        guard newline > start, bytes[newline - 1] == UInt8(ascii: "\r") else { return .some(nil) }
        return .some(start..<newline - 1)
    }

    private mutating func scanRequestLine(_ line: Range<Int>) -> Bool {
        var index = line.lowerBound
        while index < line.upperBound, bytes[index] >= UInt8(ascii: "A"),
            bytes[index] <= UInt8(ascii: "Z")
        { index += 1 }
        let method = line.lowerBound..<index
        let versionLength = 9
        guard !method.isEmpty, method.count <= 16, line.upperBound - index > versionLength + 1,
            bytes[index] == UInt8(ascii: " "), !equals(method, "connect")
        else { return false }
        let version = line.upperBound - versionLength..<line.upperBound
        if equals(version, " http/1.0") {
            isVersion10 = true
        } else if !equals(version, " http/1.1") {
            return false
        }
        // HTTP-name is case-sensitive (RFC 9112, section 2.3).
        guard bytes[version.lowerBound + 1] == UInt8(ascii: "H") else { return false }
        request.target = index + 1..<version.lowerBound
        for offset in request.target {
            let byte = bytes[offset]
            guard byte > 0x20, byte < 0x7f else { return false }
            if byte == UInt8(ascii: "#") { isPlain = false }
            if byte == UInt8(ascii: "?") {
                isPlain = isPlain && isExpiry(offset + 1..<request.target.upperBound)
            }
        }
        request.isHead = equals(method, "head")
        let isThumbnail =
            request.target.count > 3
            && equals(request.target.lowerBound..<request.target.lowerBound + 3, "/t/")
        if isVersion10 || !isThumbnail || !(request.isHead || equals(method, "get")) {
            isPlain = false
        }
        return true
    }

    /// The one query that is plain: until when a signed URL counts.
    private func isExpiry(_ query: Range<Int>) -> Bool {
        let name = query.lowerBound..<min(query.lowerBound + 8, query.upperBound)
        guard equals(name, "expires="), query.count > 8, query.count <= 20 else { return false }
        return query.dropFirst(8).allSatisfy { (0x30...0x39).contains(bytes[$0]) }
    }

    /// False where what the field means for the end of the request is not certain.
    private mutating func scanField(_ line: Range<Int>) -> Bool {
        var index = line.lowerBound
        while index < line.upperBound, Self.isToken(bytes[index]) { index += 1 }
        guard index > line.lowerBound, index < line.upperBound, bytes[index] == UInt8(ascii: ":")
        else { return false }
        let name = line.lowerBound..<index
        var start = index + 1
        var end = line.upperBound
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        for offset in start..<end {
            let byte = bytes[offset]
            if byte >= 0x7f { if byte == 0x7f { return false } else { isPlain = false } }
            if byte < 0x20, byte != UInt8(ascii: "\t") { return false }
        }
        return note(name, start..<end)
    }

    private mutating func note(_ name: Range<Int>, _ value: Range<Int>) -> Bool {
        switch FieldName(name, in: bytes) {
        case .ignored: return true
        case .host:
            if hasHost { isPlain = false }
            hasHost = true
        case .accept:
            if request.accept != nil { isPlain = false }
            request.accept = value
        case .entityTag:
            if request.entityTag != nil { isPlain = false }
            request.entityTag = value
        case .modifiedSince:
            if request.modifiedSince != nil { isPlain = false }
            request.modifiedSince = value
        case .connection:
            guard connection == nil else { return false }
            connection = value
        case .contentLength:
            guard contentLength == nil, let length = number(value) else { return false }
            contentLength = length
        case .framing: return false
        case .other: isPlain = false
        }
        return true
    }

    /// An answer to HTTP/1.0 always ends its connection: the codec does not say keep-alive.
    private mutating func scanConnection() -> Bool {
        request.framing.closes = isVersion10
        guard let connection else { return true }
        if equals(connection, "close") {
            request.framing.closes = true
        } else if !equals(connection, "keep-alive") {
            return false
        }
        return true
    }

    /// At most 15 digits, so that it can't overflow.
    private func number(_ value: Range<Int>) -> Int? {
        guard (1...15).contains(value.count) else { return nil }
        var number = 0
        for offset in value {
            let digit = bytes[offset] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == UInt8(ascii: "\t") }

    private func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        FieldName.equals(bytes, range, text)
    }

    /// RFC 9110, section 5.6.2, as a bit for each ASCII character.
    fileprivate static func isToken(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03ff_6cfa_0000_0000
        let high: UInt64 = 0x57ff_ffff_c7ff_fffe
        guard byte < 128 else { return false }
        return (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
    }
}
