/// The languages that a client prefers, best first: `lang=`, else `Accept-Language` (RFC 9110,
/// section 12.5.4). Pure.
package struct LanguagePreference: Sendable, Equatable {
    /// Lower-case language ranges such as `nl-be`, or `*` for any; best first.
    private var wanted: [String] = []
    /// Ranges with a quality of zero.
    private var refused: [String] = []

    /// Reads `lang`, which wins, or the header field. Malformed parts of the field are ignored, as
    /// RFC 9110 requires.
    ///
    /// - Throws: ``Failure/invalid(reason:)`` if `lang` is not a language tag.
    package init(lang: String?, acceptLanguage: String?) throws(Failure) {
        if let lang = lang?.trimmed, !lang.isEmpty {
            guard Self.isTag(lang), lang.split(separator: "-").count <= Self.maxSubtags else {
                throw .invalid(
                    reason: """
                        “lang” is not a language tag. Use one like nl, en or en-GB, not \
                        “\(lang.shortened)”.
                        """)
            }
            wanted = [lang.lowercased()]
            return
        }
        var ranges: [(range: String, quality: Double, offset: Int)] = []
        for (range, quality) in WeightedNames.parse(acceptLanguage ?? "").prefix(Self.maxRanges) {
            guard Self.isRange(range), let quality else { continue }
            // No tag has more parts, and a lookup tries all beginnings of a range.
            let parts = range.split(separator: "-").prefix(Self.maxSubtags)
            ranges.append((parts.joined(separator: "-"), quality, ranges.count))
        }
        // The offset keeps equal entries in order, because `sort` is not guaranteed to be stable.
        ranges.sort { ($1.quality, $0.offset) < ($0.quality, $1.offset) }
        wanted = ranges.filter { $0.quality > 0 }.map(\.range)
        refused = ranges.filter { $0.quality == 0 }.map(\.range)
    }

    /// Returns the best of `tags` by the lookup of RFC 4647 (section 3.4): `nl-be` finds `nl`
    /// unless a tag is closer.
    ///
    /// Returns `nil` if no tag is preferred, or if any language is accepted and `fallback` is not
    /// excluded.
    func best(of tags: [String], fallback: String?) -> String? {
        for range in wanted {
            if range == "*" {
                guard let fallback, refused.contains(fallback.lowercased()) else { return nil }
                return tags.first { !refused.contains($0.lowercased()) }
            }
            if let tag = Self.lookUp(range, in: tags) { return tag }
        }
        return nil
    }

    /// Allows for language, script, region and a variant.
    private static let maxSubtags = 4
    /// Browsers send a handful. The bound keeps a hostile field cheap.
    private static let maxRanges = 32

    private static func lookUp(_ range: String, in tags: [String]) -> String? {
        var subtags = range.split(separator: "-")
        while !subtags.isEmpty {
            let shorter = subtags.joined(separator: "-")
            if let tag = tags.first(where: { $0.lowercased() == shorter }) { return tag }
            subtags.removeLast()
            // A singleton such as the x of `nl-x-old` means nothing without the subtag after it.
            if subtags.last?.count == 1 { subtags.removeLast() }
        }
        return tags.first { $0.lowercased().hasPrefix(range + "-") }
    }

    private static func isRange(_ text: String) -> Bool {
        text == "*" || isTag(text)
    }

    /// Returns whether the text is a language of two or three letters, then subtags of up to eight
    /// letters and digits.
    private static func isTag(_ text: String) -> Bool {
        let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
        return subtags.enumerated().allSatisfy { index, subtag in
            let isLetters = subtag.allSatisfy { $0.isASCII && $0.isLetter }
            if index == 0 { return isLetters && (2...3).contains(subtag.count) }
            return (1...8).contains(subtag.count)
                && subtag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }
}

extension CatalogEntry {
    /// Returns the entry with its texts in the best available language, or unchanged.
    package func inLanguage(_ preference: LanguagePreference) -> CatalogEntry {
        guard let translations,
            let tag = preference.best(of: translations.keys.sorted(), fallback: language),
            let translation = translations[tag]
        else { return self }
        return showing(translation)
    }

    /// Returns the entry with the texts of a translation.
    func showing(_ translation: Translation) -> CatalogEntry {
        var entry = self
        entry.title = translation.title
        entry.subtitle = translation.subtitle
        entry.language = translation.language
        entry.summary = translation.summary ?? summary
        entry.medium = translation.medium ?? medium
        entry.type = translation.type ?? type
        entry.technique = translation.technique ?? technique
        entry.material = translation.material ?? material
        entry.dimensions = translation.dimensions ?? dimensions
        entry.creditLine = translation.creditLine ?? creditLine
        return entry
    }
}
