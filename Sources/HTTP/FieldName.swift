/// Classifies a header field by what it means for a hit. Pure.
enum FieldName: Equatable {
    /// `connection` includes `Proxy-Connection`.
    case host, accept, entityTag, modifiedSince, range, ifRange, requestID
    case connection, contentLength, transferEncoding, expect, upgrade
    /// Only documents depend on these. `forwarded` is any field by which a proxy names its client.
    case acceptEncoding, acceptLanguage, origin, fetchSite, referer, forwardedHost, forwarded
    /// Changes nothing in the response to a hit.
    case ignored
    /// Unknown, or known to need a responder.
    case other

    init(_ name: UnsafeRawBufferPointer) {
        func isName(_ text: StaticString) -> Bool { Self.equals(name, 0..<name.count, text) }
        switch name.count {
        case 3: self = isName("dnt") ? .ignored : isName("via") ? .forwarded : .other
        case 4: self = isName("host") ? .host : .other
        case 5: self = isName("range") ? .range : .other
        case 6:
            if isName("accept") {
                self = .accept
            } else if isName("expect") {
                self = .expect
            } else if isName("origin") {
                self = .origin
            } else {
                self = isName("cookie") || isName("pragma") ? .ignored : .other
            }
        case 7:
            if isName("upgrade") {
                self = .upgrade
            } else if isName("referer") {
                self = .referer
            } else {
                self = isName("sec-gpc") ? .ignored : .other
            }
        case 8:
            if isName("if-range") {
                self = .ifRange
            } else {
                self = isName("priority") ? .ignored : .other
            }
        case 9: self = isName("x-real-ip") || isName("forwarded") ? .forwarded : .other
        case 10:
            if isName("connection") {
                self = .connection
            } else {
                self = isName("user-agent") ? .ignored : .other
            }
        case 12: self = isName("x-request-id") ? .requestID : .other
        case 13:
            if isName("if-none-match") {
                self = .entityTag
            } else {
                self = isName("cache-control") ? .ignored : .other
            }
        case 14:
            if isName("content-length") {
                self = .contentLength
            } else {
                self = isName("sec-fetch-site") ? .fetchSite : .other
            }
        case 15:
            if isName("accept-encoding") {
                self = .acceptEncoding
            } else if isName("accept-language") {
                self = .acceptLanguage
            } else {
                self = isName("x-forwarded-for") ? .forwarded : .other
            }
        case 16:
            if isName("proxy-connection") {
                self = .connection
            } else {
                self = isName("x-forwarded-host") ? .forwardedHost : .other
            }
        case 17:
            if isName("transfer-encoding") {
                self = .transferEncoding
            } else if isName("if-modified-since") {
                self = .modifiedSince
            } else {
                self = isName("x-forwarded-proto") ? .forwarded : .other
            }
        case 25: self = isName("upgrade-insecure-requests") ? .ignored : .other
        default: self = .other
        }
        if self == .other, name.count > 7 {
            if Self.equals(name, 0..<4, "sec-"),
                name.count > 10 && Self.equals(name, 0..<10, "sec-fetch-")
                    || name.count >= 9 && Self.equals(name, 0..<9, "sec-ch-ua")
            {
                self = .ignored
            }
        }
    }

    /// Compares without regard to case. `text` is ASCII in lower case.
    static func equals(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ text: StaticString
    ) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<range.count {
            var byte = bytes[range.lowerBound + index]
            if byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") { byte |= 0x20 }
            if byte != text.utf8Start[index] { return false }
        }
        return true
    }
}
