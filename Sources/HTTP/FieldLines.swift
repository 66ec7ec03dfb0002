/// Lines of header fields as HTTP/1 sends them, and where the fields are, for HTTP/2.
package struct FieldLines: Sendable {
    package private(set) var bytes: [UInt8] = []
    private(set) var places: [Place] = []

    /// Where a field is in the bytes.
    struct Place: Sendable {
        private let start: UInt32
        private let colon: UInt32
        private let end: UInt32
        /// False for values that differ from response to response. They would displace others from HTTP/2's
        /// table of fields.
        let isIndexed: Bool

        init(name: Range<Int>, end: Int, isIndexed: Bool = true) {
            start = UInt32(name.lowerBound)
            colon = UInt32(name.upperBound)
            self.end = UInt32(end)
            self.isIndexed = isIndexed
        }

        var name: Range<Int> { Int(start)..<Int(colon) }
        /// After the colon and a blank.
        var value: Range<Int> { Int(colon) + 2..<Int(end) }

        /// Returns where the field is after `count` further bytes.
        func moved(by count: Int) -> Place {
            Place(
                name: Int(start) + count..<Int(colon) + count, end: Int(end) + count,
                isIndexed: isIndexed)
        }
    }

    package init(_ fields: (name: String, value: String)...) {
        for (name, value) in fields { add(name, value) }
    }

    package mutating func add(_ name: String, _ value: String) {
        let start = bytes.count
        bytes += name.utf8
        let place = start..<bytes.count
        let isIndexed = bytes.withUnsafeBytes { bytes in
            !Self.changing.contains { FieldName.equals(bytes, place, $0) }
        }
        addValue(of: place, isIndexed: isIndexed) { $0 += value.utf8 }
    }

    /// - Parameter write: appends the value, which may be the same in many responses.
    mutating func add(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: RequestHead.bytes(name))
        addValue(of: start..<bytes.count, isIndexed: true, write)
    }

    /// - Parameter name: the end of the bytes.
    private mutating func addValue(
        of name: Range<Int>, isIndexed: Bool, _ write: (inout [UInt8]) -> Void
    ) {
        bytes += Self.separator
        write(&bytes)
        places.append(Place(name: name, end: bytes.count, isIndexed: isIndexed))
        bytes += Self.lineEnd
    }

    package mutating func add(_ lines: FieldLines) {
        let start = bytes.count
        bytes += lines.bytes
        for place in lines.places { places.append(place.moved(by: start)) }
    }

    /// Adds bytes that HTTP/2 doesn't send.
    mutating func addText(_ text: [UInt8]) { bytes += text }

    /// Changes bytes of values.
    package mutating func change(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes.withUnsafeMutableBytes(body)
    }

    /// Makes room for what most heads have.
    mutating func reserve() {
        bytes.reserveCapacity(768)
        places.reserveCapacity(16)
    }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    private static let changing: [StaticString] = [
        "last-modified", "repr-digest", "x-request-id",
    ]
    private static let separator = Array(": ".utf8)
    private static let lineEnd = Array("\r\n".utf8)
}
