/// A page with places for values, such as `{{style}}`. Pure.
package struct PageTemplate: Sendable {
    private static let open = Array("{{".utf8)
    private static let close = Array("}}".utf8)

    private let page: [UInt8]

    package init(_ page: [UInt8]) { self.page = page }

    /// Returns the page with the values in their places. Places without a value stay. In one pass, so that no
    /// value, such as the title of a source, is taken for a place.
    package func filled(_ values: [String: [UInt8]]) -> [UInt8] {
        var filled: [UInt8] = []
        var rest = page[...]
        while let start = rest.firstRange(of: Self.open),
            let end = rest[start.upperBound...].firstRange(of: Self.close)
        {
            let name = String(decoding: rest[start.upperBound..<end.lowerBound], as: UTF8.self)
            filled += rest[..<start.lowerBound]
            filled += values[name] ?? Array(rest[start.lowerBound..<end.upperBound])
            rest = rest[end.upperBound...]
        }
        return filled + rest
    }
}
