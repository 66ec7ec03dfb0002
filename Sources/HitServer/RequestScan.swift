import Glibc

/// Classifies the next bytes of a connection. Pure; allocates nothing.
///
/// Heads are read strictly (RFC 9112): one that two readers could take differently is refused. A proxy in
/// front therefore sees the same requests.
package enum RequestScan: Equatable {
    /// The head has not arrived completely.
    case incomplete
    /// GET or HEAD of a possible hit, without anything that needs a responder.
    case plain(PlainRequest)
    /// Any other request, for a responder.
    case framed(Framing)
    /// Unreadable, or framed in a way that is not supported. Its connection closes.
    case refused(RequestScan.Fault)

    /// Where a request ends, counted from its first byte.
    package struct Framing: Equatable {
        package var headLength: Int
        package var body = RequestScan.BodyFraming.none
        /// Whether the connection closes after its response.
        package var closes: Bool
        /// Whether its client waits for a 100 response before it sends the body.
        package var expects = false
        package var isVersion10 = false

        package init(
            headLength: Int, body: RequestScan.BodyFraming = .none, closes: Bool,
            expects: Bool = false, isVersion10: Bool = false
        ) {
            self.headLength = headLength
            self.body = body
            self.closes = closes
            self.expects = expects
            self.isVersion10 = isVersion10
        }
    }

    /// Ranges count from the first byte of the request.
    package struct PlainRequest: Equatable {
        package var framing: Framing
        package var isHead: Bool
        package var target: Range<Int>
        package var accept: Range<Int>?
        package var entityTag: Range<Int>?
        package var modifiedSince: Range<Int>?
        package var range: Range<Int>?
        package var ifRange: Range<Int>?
        package var requestID: Range<Int>?
    }

    package init(_ bytes: UnsafeRawBufferPointer) {
        var scan = HeadScan(bytes)
        self = scan.run()
    }

    /// The longest registered method has half as many bytes.
    private static let maxMethodLength = 64

    /// Returns whether the bytes can be the start of a request: a method and a blank, and at the end
    /// of the line a version of HTTP, as far as they have arrived. Other protocols fail here.
    package static func mayBegin(_ bytes: UnsafeRawBufferPointer) -> Bool {
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

extension RequestScan {
    /// Returns whether a target may be that of a thumbnail, in plain characters.
    static func isPlain(target: UnsafeRawBufferPointer) -> Bool {
        guard HitRoute(target) == .picture else { return false }
        return target.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }
    }
}

extension RequestScan {
    /// How the end of a request's body is found.
    package enum BodyFraming: Equatable {
        case none
        case length(Int)
        case chunked
    }

    /// Why a head is refused.
    package enum Fault: Error, Equatable {
        case lineEnd, requestLine, fieldName, foldedField, fieldValue, contentLength,
            transferEncoding
        /// A transfer coding other than `chunked`.
        case unknownCoding
        /// A version of HTTP other than 1.0 and 1.1.
        case unknownVersion
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
    private var codings = (count: 0, chunked: 0, isLastChunked: false)
    private var upgrade = (isNamed: false, isConnection: false)
    private var request = RequestScan.PlainRequest(
        framing: .init(headLength: 0, closes: false), isHead: false, target: 0..<0)

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func run() -> RequestScan {
        do throws(RequestScan.Fault) {
            return try scan()
        } catch {
            return .refused(error)
        }
    }

    private mutating func scan() throws(RequestScan.Fault) -> RequestScan {
        guard var first = try nextLine() else { return .incomplete }
        while first.isEmpty {
            guard let next = try nextLine() else { return .incomplete }
            first = next
        }
        try scanRequestLine(first)
        while true {
            guard let line = try nextLine() else { return .incomplete }
            if line.isEmpty { break }
            try scanField(line)
        }
        request.framing.headLength = position
        request.framing.body = try body()
        if isVersion10 || upgrade.isNamed && upgrade.isConnection { request.framing.closes = true }
        request.framing.isVersion10 = isVersion10
        // HTTP/1.0 has no interim responses, and the client sends the body anyway (RFC 9110, section
        // 10.1.1).
        if isVersion10 { request.framing.expects = false }
        return isPlain && hasHost && contentLength == nil
            ? .plain(request) : .framed(request.framing)
    }

    /// Returns nil if the line has not arrived completely.
    private mutating func nextLine() throws(RequestScan.Fault) -> Range<Int>? {
        guard position < bytes.count, let base = bytes.baseAddress,
            let end = memchr(base + position, Int32(UInt8(ascii: "\n")), bytes.count - position)
        else { return nil }
        let start = position
        let newline = UnsafeRawPointer(end) - base
        position = newline + 1
        guard newline > start, bytes[newline - 1] == UInt8(ascii: "\r") else {
            throw .lineEnd
        }
        return start..<newline - 1
    }

    private mutating func scanRequestLine(_ line: Range<Int>) throws(RequestScan.Fault) {
        var index = line.lowerBound
        var isUpperCase = true
        while index < line.upperBound, Self.isToken(bytes[index]) {
            isUpperCase = isUpperCase && (0x41...0x5a).contains(bytes[index])
            index += 1
        }
        let method = line.lowerBound..<index
        let versionLength = 9
        guard !method.isEmpty, line.upperBound - index > versionLength + 1,
            bytes[index] == UInt8(ascii: " ")
        else { throw .requestLine }
        let version = line.upperBound - versionLength..<line.upperBound
        try scanVersion(version)
        request.target = index + 1..<version.lowerBound
        for offset in request.target {
            let byte = bytes[offset]
            guard byte > 0x20, byte != 0x7f else { throw .requestLine }
            // The router answers these with 400.
            if byte > 0x7f || byte == UInt8(ascii: "#") { isPlain = false }
        }
        request.isHead = equals(method, "head")
        // Another protocol would follow.
        if equals(method, "connect") { request.framing.closes = true }
        let route = HitRoute(UnsafeRawBufferPointer(rebasing: bytes[request.target]))
        if isVersion10 || route == nil || !isUpperCase
            || !(request.isHead || equals(method, "get"))
        {
            isPlain = false
        }
    }

    /// Reads a blank and a version of HTTP, whose name is case-sensitive (RFC 9112, section 2.3).
    private mutating func scanVersion(_ version: Range<Int>) throws(RequestScan.Fault) {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let (major, minor) = (bytes[version.upperBound - 3], bytes[version.upperBound - 1])
        let name = version.lowerBound + 1
        guard equals(version.dropLast(3), " http/"), isDigit(major), isDigit(minor),
            bytes[version.upperBound - 2] == UInt8(ascii: "."),
            bytes[name..<name + 4].allSatisfy({ $0 < 0x60 })
        else { throw .requestLine }
        guard major == UInt8(ascii: "1"), minor <= UInt8(ascii: "1") else {
            throw .unknownVersion
        }
        isVersion10 = minor == UInt8(ascii: "0")
    }

    private mutating func scanField(_ line: Range<Int>) throws(RequestScan.Fault) {
        var index = line.lowerBound
        while index < line.upperBound, Self.isToken(bytes[index]) { index += 1 }
        guard index > line.lowerBound, index < line.upperBound, bytes[index] == UInt8(ascii: ":")
        else {
            if isBlank(bytes[line.lowerBound]) { throw .foldedField }
            throw .fieldName
        }
        let name = line.lowerBound..<index
        var start = index + 1
        var end = line.upperBound
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        for offset in start..<end {
            let byte = bytes[offset]
            if byte > 0x7f { isPlain = false }
            if byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7f {
                throw .fieldValue
            }
        }
        try take(name, start..<end)
    }

    private mutating func take(
        _ name: Range<Int>, _ value: Range<Int>
    ) throws(RequestScan.Fault) {
        switch FieldName(name, in: bytes) {
        case .ignored: return
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
        case .range:
            if request.range != nil { isPlain = false }
            request.range = value
        case .ifRange:
            if request.ifRange != nil { isPlain = false }
            request.ifRange = value
        case .requestID:
            if request.requestID != nil { isPlain = false }
            request.requestID = value
        case .connection: takeConnection(value)
        case .contentLength:
            guard contentLength == nil, let length = number(value) else {
                throw .contentLength
            }
            contentLength = length
        case .transferEncoding:
            isPlain = false
            eachElement(of: value) { scan, element in
                scan.codings.count += 1
                scan.codings.isLastChunked = scan.equals(element, "chunked")
                if scan.codings.isLastChunked { scan.codings.chunked += 1 }
            }
        case .expect:
            isPlain = false
            request.framing.expects = equals(value, "100-continue")
        case .upgrade:
            isPlain = false
            upgrade.isNamed = true
        case .other: isPlain = false
        }
    }

    /// `close` wins over everything else in this or another field.
    private mutating func takeConnection(_ value: Range<Int>) {
        eachElement(of: value) { scan, element in
            if scan.equals(element, "close") {
                scan.request.framing.closes = true
            } else if scan.equals(element, "upgrade") {
                scan.upgrade.isConnection = true
            } else if !scan.equals(element, "keep-alive") {
                scan.isPlain = false
            }
        }
    }

    /// Calls `body` for each element of a comma-separated list (RFC 9110, section 5.6.1).
    private mutating func eachElement(
        of list: Range<Int>, _ body: (inout Self, Range<Int>) -> Void
    ) {
        var start = list.lowerBound
        while start < list.upperBound {
            var end = start
            while end < list.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            let next = end + 1
            while start < end, isBlank(bytes[start]) { start += 1 }
            while end > start, isBlank(bytes[end - 1]) { end -= 1 }
            if start < end { body(&self, start..<end) }
            start = next
        }
    }

    /// Follows RFC 9112, section 6.3. What it leaves to the server is refused.
    private func body() throws(RequestScan.Fault) -> RequestScan.BodyFraming {
        guard codings.count > 0 else {
            return contentLength.flatMap { $0 > 0 ? .length($0) : nil } ?? .none
        }
        guard !isVersion10, contentLength == nil, codings.isLastChunked, codings.chunked == 1
        else { throw .transferEncoding }
        guard codings.count == 1 else { throw .unknownCoding }
        return .chunked
    }

    /// Reads at most 15 digits, so that the number can't overflow.
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

    fileprivate func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        FieldName.equals(bytes, range, text)
    }

    /// Returns whether the byte belongs to a token (RFC 9110, section 5.6.2). The words have a bit
    /// for each ASCII character.
    fileprivate static func isToken(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03ff_6cfa_0000_0000
        let high: UInt64 = 0x57ff_ffff_c7ff_fffe
        guard byte < 128 else { return false }
        return (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
    }
}
