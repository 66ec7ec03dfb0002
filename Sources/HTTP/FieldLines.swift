/// Lines of header fields as HTTP/1 sends them, and where the fields are, for HTTP/2.
package struct FieldLines: Sendable {
    package private(set) var bytes: [UInt8] = []
    private(set) var places: [Place] = []

    /// Where a field is in the bytes.
    struct Place: Sendable {
        private let start: UInt32
        private let colon: UInt32
        private let end: UInt32
        /// How HTTP/2 writes it.
        let code: FieldCode

        init(name: Range<Int>, end: Int, _ code: FieldCode) {
            start = UInt32(name.lowerBound)
            colon = UInt32(name.upperBound)
            self.end = UInt32(end)
            self.code = code
        }

        var name: Range<Int> { Int(start)..<Int(colon) }
        /// After the colon and a blank.
        var value: Range<Int> { Int(colon) + 2..<Int(end) }

        /// Returns where the field is after `count` further bytes.
        func moved(by count: Int) -> Place {
            Place(
                name: Int(start) + count..<Int(colon) + count, end: Int(end) + count, code)
        }
    }

    package init(_ fields: (name: String, value: String)...) {
        for (name, value) in fields { add(name, value) }
    }

    package mutating func add(_ name: String, _ value: String) {
        let start = bytes.count
        bytes += name.utf8
        addValue(of: start..<bytes.count) { $0 += value.utf8 }
    }

    /// - Parameter write: appends the value.
    mutating func add(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: RequestHead.bytes(name))
        addValue(of: start..<bytes.count, write)
    }

    /// - Parameter name: the end of the bytes.
    private mutating func addValue(of name: Range<Int>, _ write: (inout [UInt8]) -> Void) {
        let code = bytes.withUnsafeBytes { FieldCode(UnsafeRawBufferPointer(rebasing: $0[name])) }
        bytes += Self.separator
        write(&bytes)
        places.append(Place(name: name, end: bytes.count, code))
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

    /// Becomes a copy of those of a head, in the memory that it has.
    mutating func set(_ bytes: UnsafeRawBufferPointer, _ places: UnsafeBufferPointer<Place>) {
        clear()
        self.bytes.append(contentsOf: bytes)
        self.places.append(contentsOf: places)
    }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    private static let separator = Array(": ".utf8)
    private static let lineEnd = Array("\r\n".utf8)
}
