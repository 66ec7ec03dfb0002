import Foundation

/// Reduces a JSON object to some of its fields. Records have up to 100 kB, of which we need little.
struct JSONPart: Sendable {
    let names: Set<String>
    /// A valid document has at least one of these fields.
    let anyOf: Set<String>

    /// Returns the reduced document; `nil` if the body is not a JSON object or has none of the
    /// fields in `anyOf`.
    @Sendable func callAsFunction(_ body: [UInt8]) -> [UInt8]? {
        // The decoder of the response reports invalid JSON. Here it is only not kept.
        guard
            let fields = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            !anyOf.isDisjoint(with: fields.keys),
            let part = try? JSONSerialization.data(
                withJSONObject: fields.filter { names.contains($0.key) },
                options: .withoutEscapingSlashes)
        else { return nil }
        return Array(part)
    }
}
