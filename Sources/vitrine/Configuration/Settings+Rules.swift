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
