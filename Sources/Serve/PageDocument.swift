import FoundationEssentials
import JSON

extension JSON {
    /// Returns one page of a list in the JSON form of the API.
    ///
    /// - Parameter totalOf: what `total` counts: `list`, the whole list at its source, whatever the
    ///   filters let through, or `matches`, what they let through.
    static func page(
        _ items: [JSON], next: String? = nil, total: Int?, totalOf: String, isStale: Bool,
        fetchedAt: Date, expiresAt: Date
    ) -> JSON {
        [
            "items": .list(items), "next": JSON(next), "total": JSON(total),
            "totalOf": .text(totalOf), "stale": .flag(isStale), "fetchedAt": date(fetchedAt),
            "expiresAt": date(expiresAt),
        ]
    }
}
