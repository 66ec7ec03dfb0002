/// The head of a request over any version of HTTP, as it was read strictly (``RequestScan``). Its parts are
/// ranges of its bytes.
package struct RequestHead: Sendable {
    private(set) var bytes: [UInt8] = []
    private var methodPlace = 0..<0
    private var targetPlace = 0..<0
    private var fieldPlaces: [(name: Range<Int>, value: Range<Int>)] = []

    package init() {}

    /// - Parameter bytes: the lines of HTTP/1, up to the empty one.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var start = 0
        while let end = bytes[start...].firstIndex(of: Self.lineEnd) {
            // Without CR.
            let line = start..<max(start, end - 1)
            start = end + 1
            if targetPlace.isEmpty {
                // Empty lines before a request are forgiven (RFC 9112, section 2.2).
                if !line.isEmpty { takeFirst(line) }
            } else {
                if line.isEmpty { break }
                takeField(line)
            }
        }
    }

    private static let lineEnd: UInt8 = 0x0A
    private static let blank: UInt8 = 0x20
    private static let tab: UInt8 = 0x09

    private mutating func takeFirst(_ line: Range<Int>) {
        let words = bytes[line].split(separator: Self.blank)
        guard words.count == 3 else { return }
        (methodPlace, targetPlace) = (words[0].indices, words[1].indices)
    }

    private mutating func takeField(_ line: Range<Int>) {
        guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else { return }
        let isBlank = { (byte: UInt8) in byte == Self.blank || byte == Self.tab }
        let rest = bytes[colon + 1..<line.upperBound].drop(while: isBlank)
        let count = rest.reversed().drop(while: isBlank).count
        fieldPlaces.append((line.lowerBound..<colon, rest.prefix(count).indices))
    }

    // MARK: Made part by part

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        fieldPlaces.removeAll(keepingCapacity: true)
        (methodPlace, targetPlace) = (0..<0, 0..<0)
    }

    mutating func setMethod(_ method: UnsafeRawBufferPointer) { methodPlace = append(method) }

    /// Returns where the target is.
    @discardableResult
    mutating func setTarget(_ target: UnsafeRawBufferPointer) -> Range<Int> {
        targetPlace = append(target)
        return targetPlace
    }

    /// Takes a part that is there as the target.
    mutating func setTarget(at place: Range<Int>) { targetPlace = place }

    /// Returns where the value is.
    @discardableResult
    mutating func add(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> Range<Int> {
        let places = (name: append(name), value: append(value))
        fieldPlaces.append(places)
        return places.value
    }

    private mutating func append(_ part: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: part)
        return start..<bytes.count
    }

    /// Becomes the head of a document that a request asks for: what it depends on, and nothing else. Line
    /// ends, which no part has, keep heads with other parts from having the same bytes.
    ///
    /// - Parameter bytes: begin with the request.
    mutating func set(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer
    ) {
        clear()
        setMethod(Self.bytes("GET"))
        setTarget(UnsafeRawBufferPointer(rebasing: bytes[request.target]))
        self.bytes.append(Self.lineEnd)
        func add(_ name: StaticString, _ place: Range<Int>?) {
            guard let place else { return }
            self.add(Self.bytes(name), UnsafeRawBufferPointer(rebasing: bytes[place]))
            self.bytes.append(Self.lineEnd)
        }
        add("host", request.host)
        add("accept-encoding", request.acceptEncoding)
        add("accept-language", request.acceptLanguage)
        add("origin", request.origin)
        add("sec-fetch-site", request.fetchSite)
        add("x-forwarded-host", request.forwardedHost)
        // Whichever page it was.
        if request.isReferred { add("referer", 0..<0) }
        // Whichever field and address it was.
        if request.isForwarded { add("forwarded", 0..<0) }
    }

    static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    // MARK: Its parts

    package var method: String { text(methodPlace) }
    /// As sent.
    package var target: String { text(targetPlace) }

    /// In their order, with values without the blanks around them. The host of HTTP/2 is the field `host`.
    package var fields: some Sequence<(name: String, value: String)> {
        fieldPlaces.lazy.map { (name: text($0.name), value: text($0.value)) }
    }

    /// Returns the value of the first field of that name, given in lower case.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }

    private func text(_ place: Range<Int>) -> String {
        String(decoding: bytes[place], as: UTF8.self)
    }
}
