/// The head of an HTTP/2 request, field by field. Keeps its memory from one request to the next. Belongs to
/// one thread.
///
/// The caller has checked that names and values are valid (RFC 9113, section 8.2.1).
package struct FieldBlock {
    package private(set) var head = RequestHead()
    /// Size by which `SETTINGS_MAX_HEADER_LIST_SIZE` counts (RFC 9113, section 6.5.2).
    package private(set) var size = 0
    /// Bytes that are kept. A larger head is counted only.
    private let limit: Int
    private var parts = RequestParts()
    private var fault: RequestScan.Fault?
    private var authority: Range<Int>?
    private var hasTarget = false

    /// - Parameter limit: largest ``size`` of a head that is kept.
    package init(limit: Int) { self.limit = limit }

    /// Whether the head is larger than the limit, and not kept.
    package var isTooLarge: Bool { size > limit }

    /// Forgets the last request.
    package mutating func clear() {
        head.clear()
        parts = RequestParts()
        (size, fault, authority, hasTarget) = (0, nil, nil, false)
    }

    package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        // What a field costs besides its bytes, by that section.
        size += name.count + value.count + 32
        guard !isTooLarge, fault == nil, let first = name.first else { return }
        do throws(RequestScan.Fault) {
            if first == UInt8(ascii: ":") {
                try addPseudo(name, value)
            } else if authority == nil || !isName(name, "host") {
                try parts.takeField(name, value, at: head.add(name, value))
            }
        } catch {
            fault = error
        }
    }

    private mutating func addPseudo(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(RequestScan.Fault) {
        if isName(name, ":path") {
            hasTarget = true
            try parts.takeTarget(value, at: head.setTarget(value))
        } else if isName(name, ":method") {
            head.setMethod(value)
            parts.takeMethod(value)
        } else if isName(name, ":authority") {
            let host = RequestHead.bytes("host")
            let place = head.add(host, value)
            authority = place
            try parts.takeField(host, value, at: place)
        }
    }

    private func isName(_ name: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        FieldName.equals(name, 0..<name.count, text)
    }

    /// Returns what the request needs, once all fields are added. Ranges are those of the head's bytes.
    package mutating func scan() -> RequestScan {
        // CONNECT has no target of its own (RFC 9113, section 8.5).
        if !hasTarget, let authority { head.setTarget(at: authority) }
        if let fault { return .refused(fault) }
        do throws(RequestScan.Fault) {
            return try parts.request(headLength: head.bytes.count)
        } catch {
            return .refused(error)
        }
    }
}
