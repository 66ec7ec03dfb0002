package import FoundationEssentials

/// The filters that every list has: `title=`, `from=`, `to=` and `genre=`. Pure.
package struct CatalogFilter: Sendable, Equatable {
    /// The names of these filters, which separate them from a list's own parameters.
    package static let parameterNames = ["title", "from", "to", "genre"]

    private var title: NormalizedText?
    private var genre: NormalizedText?
    private var from: PartialDate?
    private var to: PartialDate?

    /// Reads the filters among `parameters` and ignores the others.
    ///
    /// An empty value sets no filter. Words are trimmed; dates must be exact.
    ///
    /// - Throws: ``Failure/invalid(reason:)`` for a malformed date, a future date, or a
    ///   reversed range.
    package init(parameters: [String: String], now: Date) throws(Failure) {
        func value(_ name: String) -> String? {
            guard let trimmed = parameters[name]?.trimmed, !trimmed.isEmpty else { return nil }
            return trimmed
        }
        title = value("title").map(NormalizedText.init)
        genre = value("genre").map(NormalizedText.init)
        from = try Self.date(parameters["from"], of: "from", now: now)
        to = try Self.date(parameters["to"], of: "to", now: now)
        if let from, let to, from.first > to.last {
            throw .invalid(reason: "“from” is after “to”.")
        }
    }

    /// Whether no filter is set, so that every entry matches.
    package var isEmpty: Bool { title == nil && genre == nil && from == nil && to == nil }

    /// Returns whether the entry passes all filters. An entry without a date fails every date
    /// filter.
    package func matches(_ entry: CatalogEntry) -> Bool {
        if let title, !NormalizedText(entry.title).contains(title) { return false }
        if let genre, !entry.genres.contains(where: { NormalizedText($0) == genre }) {
            return false
        }
        guard from != nil || to != nil else { return true }
        guard let date = entry.date.flatMap(PartialDate.init) else { return false }
        return date.last >= from?.first ?? .min && date.first <= to?.last ?? .max
    }

    private static func date(
        _ text: String?, of name: String, now: Date
    ) throws(Failure) -> PartialDate? {
        guard let text, !text.isEmpty else { return nil }
        guard let date = PartialDate(text) else {
            throw .invalid(reason: "“\(name)” is not a date. Use YYYY-MM-DD, YYYY-MM or YYYY.")
        }
        guard date.first <= PartialDate(dayOf: now).last else {
            throw .invalid(reason: "“\(name)” is a date in the future.")
        }
        return date
    }
}
