/// The names in a field such as `Accept`, with their quality values (RFC 9110, section 12.4.2). Pure.
package enum WeightedNames {
    /// Returns the names in lower case, in the order of the field. A name without a quality value has 1.
    /// The quality is nil if it is malformed, and the nearest of 0 and 1 if it is out of range.
    package static func parse(_ field: String) -> [(name: String, quality: Double?)] {
        field.split(separator: ",").compactMap { part in
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let name = pieces.first?.lowercased(), !name.isEmpty else { return nil }
            let weight = pieces.dropFirst().first { $0.lowercased().hasPrefix("q=") }
            return (name, weight.map { quality($0.dropFirst(2)) } ?? 1)
        }
    }

    private static func quality(_ text: Substring) -> Double? {
        guard let quality = Double(text), quality.isFinite else { return nil }
        return min(max(quality, 0), 1)
    }
}
