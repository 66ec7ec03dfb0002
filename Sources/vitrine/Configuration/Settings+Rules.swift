import Fetch
import Imaging

extension Settings {
    /// Replaces all levels; each text is as in ``ValueSyntax/level``.
    mutating func setLevels(_ texts: [String]) -> ConfigurationKey.Rejection? {
        let syntax = ValueSyntax.level
        var found: [Level] = []
        for text in texts {
            guard let level = syntax.parse(text) else {
                return ConfigurationKey.Rejection(text: text, expected: syntax.expected)
            }
            if found.contains(where: { $0.name == level.name }) {
                return ConfigurationKey.Rejection(text: text, expected: "each name once")
            }
            found.append(level)
        }
        guard (1...32).contains(found.count) else {
            return ConfigurationKey.Rejection(
                text: texts.joined(separator: ","), expected: "1 to 32 levels")
        }
        levels = found.sorted { left, right in
            (left.width * left.height, left.name) < (right.width * right.height, right.name)
        }
        return nil
    }

    static let perLevelExpectation =
        "a mapping from LEVEL.SETTING to a number, such as xs.webpQuality: 75"

    /// `xs.webpQuality=75`, by level and setting.
    var perLevelTexts: [String] {
        imaging.perLevel.flatMap { own in
            EncoderSetting.allCases.compactMap { setting in
                own.values[setting].map { "\(own.level).\(setting.rawValue)=\($0)" }
            }
        }
    }

    /// Replaces all settings of single levels; each text is as in ``perLevelTexts``.
    mutating func setPerLevel(_ texts: [String]) -> ConfigurationKey.Rejection? {
        var found: [String: [EncoderSetting: Int]] = [:]
        for text in texts {
            func rejection(_ expected: String) -> ConfigurationKey.Rejection {
                ConfigurationKey.Rejection(text: text, expected: expected)
            }
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            let name = parts[0].split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, name.count == 2, !name[0].isEmpty else {
                return rejection(Self.perLevelExpectation)
            }
            guard let setting = EncoderSetting(rawValue: String(name[1])) else {
                let known = EncoderSetting.allCases.map(\.rawValue).listed(by: "or")
                return rejection("a level's name, a dot and \(known)")
            }
            let syntax = ValueSyntax.integer(setting.range)
            guard let value = syntax.parse(String(parts[1])) else {
                return rejection(syntax.expected)
            }
            guard found[String(name[0]), default: [:]].updateValue(value, forKey: setting) == nil
            else { return rejection("each name once") }
        }
        imaging.perLevel = found.sorted { $0.key < $1.key }.map {
            LevelSettings(level: $0.key, values: $0.value)
        }
        return nil
    }

    /// The first pair of keys whose values can't both be meant, as one sentence.
    var contradiction: String? {
        let pairs: [(String, Duration, String, Duration)] = [
            (
                "freshness.originalMin", freshness.originalMin,
                "freshness.originalMax", freshness.originalMax
            ),
            ("fetch.baseDelay", fetch.retry.baseDelay, "fetch.maxDelay", fetch.retry.maxDelay),
            (
                "fetch.connectTimeout", fetch.connectTimeout,
                "fetch.totalTimeout", fetch.totalTimeout
            ),
        ]
        for (lower, least, upper, most) in pairs where least > most {
            return "\(lower) is \(DurationText.print(least)), which is more than \(upper) "
                + "(\(DurationText.print(most))); lower the first or raise the second."
        }
        for own in imaging.perLevel where !levels.contains(where: { $0.name == own.level }) {
            return "imaging.perLevel names the level \"\(own.level)\", which is not among levels "
                + "(\(levels.map(\.name).listed(by: "and"))); correct it or remove it."
        }
        if (server.tlsCertificate == nil) != (server.tlsKey == nil) {
            return "server.tlsCertificate and server.tlsKey belong together; give both or neither."
        }
        return nil
    }
}

/// `HOST:PORT:HOST:PORT`, libcurl's `CURLOPT_CONNECT_TO`; an empty part means "any" on the left and
/// "the same" on the right.
enum HostMapping {
    static func isValid(_ text: String) -> Bool {
        var parts: [Substring] = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "[" {
                // An IPv6 address holds colons of its own.
                guard let end = rest.firstIndex(of: "]") else { return false }
                parts[parts.count - 1] += rest[..<end]
                rest = rest[rest.index(after: end)...]
            } else if character == ":" {
                parts.append("")
            } else if character.isWhitespace {
                return false
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        guard parts.count == 4 else { return false }
        return [parts[1], parts[3]].allSatisfy { port in
            port.isEmpty || UInt16(port).map { $0 > 0 } ?? false
        }
    }
}

/// The proxies that libcurl knows.
enum ProxyURL {
    static func isValid(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://") else { return false }
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        return schemes.contains(text[..<separator.lowerBound].lowercased())
            && separator.upperBound < text.endIndex && !text.contains(where: \.isWhitespace)
    }
}
