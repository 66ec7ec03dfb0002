import FoundationEssentials

/// The output of `vitrine config`: every key with its value and origin, secrets hidden.
package struct ConfigurationListing: Encodable {
    struct Row: Encodable {
        var key: String
        /// One text; several for lists and mappings.
        var value: Value
        var origin: String
    }

    enum Value: Encodable {
        case one(String)
        case several([String])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .one(let text): try container.encode(text)
            case .several(let texts): try container.encode(texts)
            }
        }

        var text: String {
            switch self {
            case .one(let text): text.isEmpty ? "\"\"" : text
            case .several(let texts): texts.isEmpty ? "[]" : texts.joined(separator: ", ")
            }
        }
    }

    var settings: [Row]

    package init(_ loaded: LoadedSettings) {
        settings = ConfigurationKey.all.map { key in
            var texts = key.print(loaded.settings)
            var origin = "\(loaded.origins[key.path] ?? .byDefault)"
            if texts == ["auto"], let resolved = key.resolved {
                texts = [resolved(loaded.settings)]
                origin += " (auto)"
            }
            let shown = key.shape == .secret ? texts : texts.map(key.redact)
            let isOne = key.shape == .single || key.shape == .secret
            return Row(
                key: key.path,
                value: isOne ? .one(shown.first ?? "") : .several(shown),
                origin: origin)
        }
    }

    /// Three columns. A value longer than its column moves the origin to the right.
    package var table: String {
        let keyWidth = settings.map(\.key.count).max() ?? 0
        let valueWidth = min(28, settings.map(\.value.text.count).max() ?? 0)
        return settings.map { row in
            "\(row.key.padded(to: keyWidth))  \(row.value.text.padded(to: valueWidth))  \(row.origin)\n"
        }.joined()
    }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

extension String {
    /// Returns the text with spaces at its end, up to `width` characters.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
