/// Finds out what a request needs, from the parts of its head, whichever version of HTTP they came over.
/// Pure; allocates nothing.
struct RequestParts {
    /// Whether no hit can answer it.
    private var needsResponder = false
    private var contentLength: Int?
    private var codings = (count: 0, chunked: 0, isLastChunked: false)
    private var upgrade = (isNamed: false, isConnection: false)
    private var plain = RequestScan.PlainRequest(
        framing: .init(headLength: 0, closes: false), isHead: false, target: 0..<0)

    mutating func takeMethod(_ method: UnsafeRawBufferPointer) {
        plain.isHead = Self.equals(method, "head")
        // Another protocol would follow.
        if Self.equals(method, "connect") { plain.framing.closes = true }
        let isUpperCase = method.allSatisfy { (0x41...0x5a).contains($0) }
        if !isUpperCase || !(plain.isHead || Self.equals(method, "get")) { needsResponder = true }
    }

    /// - Parameter place: of the target, as ``RequestScan/PlainRequest`` has it.
    mutating func takeTarget(
        _ target: UnsafeRawBufferPointer, at place: Range<Int>
    ) throws(RequestScan.Fault) {
        plain.target = place
        for byte in target {
            guard byte > 0x20, byte != 0x7f else { throw .requestLine }
            // The router answers these with 400.
            if byte > 0x7f || byte == UInt8(ascii: "#") { needsResponder = true }
        }
        if HitRoute(target) == nil { needsResponder = true }
    }

    /// - Parameter place: of the value, as ``RequestScan/PlainRequest`` has it.
    mutating func takeField(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, at place: Range<Int>
    ) throws(RequestScan.Fault) {
        // Without a branch for each byte, so that the compiler looks at many at a time.
        var (all, isControl) = (UInt8(0), UInt8(0))
        for byte in value {
            all |= byte
            isControl |= (byte < 0x20 ? 1 : 0) & (byte != 0x09 ? 1 : 0) | (byte == 0x7f ? 1 : 0)
        }
        if isControl != 0 { throw .fieldValue }
        if all > 0x7f { needsResponder = true }
        switch FieldName(name) {
        case .ignored: break
        case .host: Self.set(&plain.host, place, isTwice: &needsResponder)
        case .accept: Self.set(&plain.accept, place, isTwice: &needsResponder)
        case .entityTag: Self.set(&plain.entityTag, place, isTwice: &needsResponder)
        case .modifiedSince: Self.set(&plain.modifiedSince, place, isTwice: &needsResponder)
        case .range: Self.set(&plain.range, place, isTwice: &needsResponder)
        case .ifRange: Self.set(&plain.ifRange, place, isTwice: &needsResponder)
        case .requestID: Self.set(&plain.requestID, place, isTwice: &needsResponder)
        case .acceptEncoding: Self.set(&plain.acceptEncoding, place, isTwice: &plain.isAmbiguous)
        case .acceptLanguage: Self.set(&plain.acceptLanguage, place, isTwice: &plain.isAmbiguous)
        case .origin: Self.set(&plain.origin, place, isTwice: &plain.isAmbiguous)
        case .fetchSite: Self.set(&plain.fetchSite, place, isTwice: &plain.isAmbiguous)
        case .referer: plain.isReferred = true
        case .forwardedHost: Self.set(&plain.forwardedHost, place, isTwice: &plain.isAmbiguous)
        case .forwarded: plain.isForwarded = true
        case .connection: takeConnection(value)
        case .contentLength:
            guard contentLength == nil, let length = Self.number(value) else {
                throw .contentLength
            }
            contentLength = length
        case .transferEncoding: takeCodings(value)
        case .expect:
            needsResponder = true
            plain.framing.expects = Self.equals(value, "100-continue")
        case .upgrade:
            needsResponder = true
            upgrade.isNamed = true
        case .other: needsResponder = true
        }
    }

    private static func set(
        _ known: inout Range<Int>?, _ place: Range<Int>, isTwice: inout Bool
    ) {
        if known != nil { isTwice = true }
        known = place
    }

    /// `close` wins over everything else in this or another field.
    private mutating func takeConnection(_ value: UnsafeRawBufferPointer) {
        Self.eachElement(of: value) { element in
            if Self.equals(element, "close") {
                plain.framing.closes = true
            } else if Self.equals(element, "upgrade") {
                upgrade.isConnection = true
            } else if !Self.equals(element, "keep-alive") {
                needsResponder = true
            }
        }
    }

    private mutating func takeCodings(_ value: UnsafeRawBufferPointer) {
        needsResponder = true
        Self.eachElement(of: value) { element in
            codings.count += 1
            codings.isLastChunked = Self.equals(element, "chunked")
            if codings.isLastChunked { codings.chunked += 1 }
        }
    }

    /// Returns what the request needs. Called once, after all parts.
    mutating func request(
        headLength: Int, isVersion10: Bool = false
    ) throws(RequestScan.Fault) -> RequestScan {
        plain.framing.headLength = headLength
        plain.framing.body = try body(isVersion10: isVersion10)
        plain.framing.isVersion10 = isVersion10
        if isVersion10 || upgrade.isNamed && upgrade.isConnection { plain.framing.closes = true }
        // HTTP/1.0 has no interim responses, and the client sends the body anyway (RFC 9110, section
        // 10.1.1).
        if isVersion10 { plain.framing.expects = false }
        let isPlain = !needsResponder && !isVersion10 && contentLength == nil
        return isPlain && plain.host != nil ? .plain(plain) : .framed(plain.framing)
    }

    /// Follows RFC 9112, section 6.3. What it leaves to the server is refused.
    private func body(
        isVersion10: Bool
    ) throws(RequestScan.Fault) -> RequestScan.BodyFraming {
        guard codings.count > 0 else {
            return contentLength.flatMap { $0 > 0 ? .length($0) : nil } ?? .none
        }
        guard !isVersion10, contentLength == nil, codings.isLastChunked, codings.chunked == 1
        else { throw .transferEncoding }
        guard codings.count == 1 else { throw .unknownCoding }
        return .chunked
    }

    /// Calls `body` for each element of a comma-separated list (RFC 9110, section 5.6.1).
    private static func eachElement(
        of list: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        while start < list.count {
            var end = start
            while end < list.count, list[end] != UInt8(ascii: ",") { end += 1 }
            let next = end + 1
            while start < end, isBlank(list[start]) { start += 1 }
            while end > start, isBlank(list[end - 1]) { end -= 1 }
            if start < end { body(UnsafeRawBufferPointer(rebasing: list[start..<end])) }
            start = next
        }
    }

    /// Reads at most 15 digits, so that the number can't overflow.
    private static func number(_ value: UnsafeRawBufferPointer) -> Int? {
        guard (1...15).contains(value.count) else { return nil }
        var number = 0
        for byte in value {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == UInt8(ascii: "\t") }

    private static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        FieldName.equals(bytes, 0..<bytes.count, text)
    }
}
