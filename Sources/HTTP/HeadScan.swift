import Glibc

extension RequestScan {
    package init(_ bytes: UnsafeRawBufferPointer) {
        var scan = HeadScan(bytes)
        do throws(Fault) {
            self = try scan.scan()
        } catch {
            self = .refused(error)
        }
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

/// One pass over a head of HTTP/1.
private struct HeadScan {
    private let bytes: UnsafeRawBufferPointer
    /// Start of the line to read next.
    private var position = 0
    private var isVersion10 = false
    private var parts = RequestParts()

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func scan() throws(RequestScan.Fault) -> RequestScan {
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
        return try parts.request(headLength: position, isVersion10: isVersion10)
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
        while index < line.upperBound, Self.isToken(bytes[index]) { index += 1 }
        let method = line.lowerBound..<index
        let versionLength = 9
        guard !method.isEmpty, line.upperBound - index > versionLength + 1,
            bytes[index] == UInt8(ascii: " ")
        else { throw .requestLine }
        let version = line.upperBound - versionLength..<line.upperBound
        try scanVersion(version)
        let target = index + 1..<version.lowerBound
        parts.takeMethod(part(method))
        try parts.takeTarget(part(target), at: target)
    }

    /// Reads a blank and a version of HTTP, whose name is case-sensitive (RFC 9112, section 2.3).
    private mutating func scanVersion(_ version: Range<Int>) throws(RequestScan.Fault) {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let (major, minor) = (bytes[version.upperBound - 3], bytes[version.upperBound - 1])
        let name = version.lowerBound + 1
        guard FieldName.equals(bytes, version.dropLast(3), " http/"), isDigit(major),
            isDigit(minor), bytes[version.upperBound - 2] == UInt8(ascii: "."),
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
            if RequestParts.isBlank(bytes[line.lowerBound]) { throw .foldedField }
            throw .fieldName
        }
        var start = index + 1
        var end = line.upperBound
        while start < end, RequestParts.isBlank(bytes[start]) { start += 1 }
        while end > start, RequestParts.isBlank(bytes[end - 1]) { end -= 1 }
        try parts.takeField(part(line.lowerBound..<index), part(start..<end), at: start..<end)
    }

    private func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
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
