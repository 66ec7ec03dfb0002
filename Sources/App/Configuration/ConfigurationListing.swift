import FoundationEssentials

/// What `vitrine config` prints: every key with its value and where that came from, secrets hidden.
package struct ConfigurationListing: Encodable {
    struct Row: Encodable {
        var key: String
        /// One text, or several for lists and levels.
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
            if texts == ["auto"], let settled = key.settled {
                texts = [settled(loaded.settings)]
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

    /// Three columns; a value longer than its column pushes the origin aside.
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
    /// With spaces at its end up to that many characters.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
