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

    /// What each key is set to, secrets hidden.
    package static func values(of settings: Settings) -> [(key: String, value: String)] {
        Self(LoadedSettings(settings: settings, origins: [:])).settings
            .map { (key: $0.key, value: $0.value.text) }
    }

    /// Key, value and origin.
    package var rows: [[String]] { settings.map { [$0.key, $0.value.text, $0.origin] } }
}
