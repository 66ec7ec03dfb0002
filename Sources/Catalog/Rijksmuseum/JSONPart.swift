import Foundation

/// Some fields of a JSON object, as a smaller JSON object: records have up to 100 kB, of which a
/// few are read.
struct JSONPart: Sendable {
    let names: Set<String>
    /// Without one of these the document isn't what it should be.
    let anyOf: Set<String>

    /// `nil` where the body is no JSON object, or has none of the fields it should have.
    @Sendable func callAsFunction(_ body: [UInt8]) -> [UInt8]? {
        // What is no JSON is told by whoever decodes the answer; here it is just not kept.
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
