/// The head of an HTTP/2 request, field by field. Classifies it as ``RequestScan`` classifies one
/// of HTTP/1.1. Keeps its memory from one request to the next. Belongs to one thread.
///
/// The caller has checked that names and values are valid (RFC 9113, section 8.2.1).
package struct FieldBlock {
    /// All names and values, one after the other.
    package private(set) var bytes: [UInt8] = []
    /// Fields without the pseudo-header fields, as ranges of ``bytes``.
    package private(set) var fields: [(name: Range<Int>, value: Range<Int>)] = []
    package private(set) var method = 0..<0
    package private(set) var target = 0..<0
    package private(set) var authority: Range<Int>?
    package private(set) var host: Range<Int>?
    /// Size by which `SETTINGS_MAX_HEADER_LIST_SIZE` counts (RFC 9113, section 6.5.2).
    package private(set) var size = 0
    /// Bytes that are kept. A larger head is counted only.
    private let limit: Int
    private var accept: Range<Int>?
    private var entityTag: Range<Int>?
    private var modifiedSince: Range<Int>?
    private var requestID: Range<Int>?
    private var isPlain = true

    /// - Parameter limit: largest ``size`` of a head that is kept.
    package init(limit: Int) { self.limit = limit }

    /// Whether the head is larger than the limit, and not kept.
    package var isTooLarge: Bool { size > limit }

    /// Forgets the last request.
    package mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        (method, target, authority, host, size) = (0..<0, 0..<0, nil, nil, 0)
        (accept, entityTag, modifiedSince, requestID, isPlain) = (nil, nil, nil, nil, true)
    }

    package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        // What a field costs besides its bytes, by that section.
        size += name.count + value.count + 32
        guard !isTooLarge, let first = name.first else { return }
        let start = bytes.count
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        let range = start + name.count..<bytes.count
        if first == UInt8(ascii: ":") { return addPseudo(name, range) }
        fields.append((start..<range.lowerBound, range))
        take(FieldName(0..<name.count, in: name), range)
        if isPlain, value.contains(where: { $0 > 0x7f }) { isPlain = false }
    }

    private mutating func addPseudo(_ name: UnsafeRawBufferPointer, _ value: Range<Int>) {
        func isName(_ text: StaticString) -> Bool {
            FieldName.equals(name, 0..<name.count, text)
        }
        if isName(":path") {
            target = value
        } else if isName(":method") {
            method = value
        } else if isName(":authority") {
            authority = value
        }
    }

    private mutating func take(_ name: FieldName, _ value: Range<Int>) {
        switch name {
        case .ignored: break
        case .host: host = value
        case .accept:
            isPlain = isPlain && accept == nil
            accept = value
        case .entityTag:
            isPlain = isPlain && entityTag == nil
            entityTag = value
        case .modifiedSince:
            isPlain = isPlain && modifiedSince == nil
            modifiedSince = value
        case .requestID:
            isPlain = isPlain && requestID == nil
            requestID = value
        case .range, .ifRange, .connection, .contentLength, .transferEncoding, .expect, .upgrade,
            .other:
            isPlain = false
        }
    }

    /// Returns the request if it may be a hit: GET or HEAD of a thumbnail, without anything that
    /// needs a responder. Its ranges are those of ``bytes``. The caller has checked that it
    /// has no body.
    package var plain: RequestScan.PlainRequest? {
        guard isPlain, !isTooLarge, authority != nil || host != nil else { return nil }
        return bytes.withUnsafeBytes { bytes in
            let isHead = bytes[method].elementsEqual("HEAD".utf8)
            guard isHead || bytes[method].elementsEqual("GET".utf8),
                RequestScan.isPlain(target: UnsafeRawBufferPointer(rebasing: bytes[target]))
            else { return nil }
            return RequestScan.PlainRequest(
                framing: .init(headLength: bytes.count, closes: false), isHead: isHead,
                target: target, accept: accept, entityTag: entityTag,
                modifiedSince: modifiedSince, requestID: requestID)
        }
    }

    /// The same head in HTTP/1.1, if it may be that of a request for a document: what is sent depends on
    /// all of its fields. The caller has checked that the request has no body.
    package var documentHead: [UInt8]? {
        guard isPlain, !isTooLarge, let host = authority ?? host,
            bytes.withUnsafeBytes({
                HitRoute(UnsafeRawBufferPointer(rebasing: $0[target]))?.isDocument
            }) == true
        else { return nil }
        var head: [UInt8] = []
        head.reserveCapacity(size + 32)
        head += bytes[method]
        head.append(UInt8(ascii: " "))
        head += bytes[target]
        head += Self.version
        head += bytes[host]
        head += Self.lineEnd
        for (name, value) in fields where bytes[name] != Self.host {
            head += bytes[name]
            head.append(UInt8(ascii: ":"))
            head += bytes[value]
            head += Self.lineEnd
        }
        head += Self.lineEnd
        return head
    }

    private static let version = Array(" HTTP/1.1\r\nhost:".utf8)
    private static let host = Array("host".utf8)[...]
    private static let lineEnd = Array("\r\n".utf8)
}
