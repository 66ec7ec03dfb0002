extension ConfigurationKey {
    /// Generates `config/vitrine.yaml`: every key with its default and its purpose.
    package static func document() -> String {
        let parts =
            heading + ["", "# ---- What most services set ----"] + entries(common)
            + ["", "# ---- What few services set ----"] + entries(further)
        return parts.joined(separator: "\n") + "\n"
    }

    private static func entries(_ keys: [ConfigurationKey]) -> [String] {
        var lines: [String] = []
        var section: Substring = ""
        let settings = Settings()
        for key in keys {
            if key.section != section {
                section = key.section
                lines.append("")
                if key.path != section { lines.append("\(section):") }
            }
            if restOfSection.contains(key.path) {
                lines.append("  # Few services set the rest of this section.")
            }
            lines += entry(key, settings)
        }
        return lines
    }

    /// Where the part of a section begins that few services set.
    private static let restOfSection: Set = ["cache.maxFiles", "server.shutdownTimeout"]

    private static let heading = [
        "# The settings of vitrine with their defaults, as `vitrine config --defaults` prints them.",
        "#",
        "# Flags take precedence over environment variables, then come this file and the defaults. The",
        "# variable of fetch.totalTimeout is VITRINE_FETCH_TOTAL_TIMEOUT, and so on for every key. In a",
        "# variable, lists are separated by commas. An empty variable counts as not set. `vitrine config`",
        "# prints the settings in force and the origin of each value.",
        "#",
        "# Durations: 500ms, 30s, 15m, 24h, 7d. Sizes: 64MiB, 10GiB, or plain bytes.",
        "# Paths are relative to the working directory. Secrets must not be in this file: a variable has",
        "# them, or a file that a key such as admin.tokenFile names.",
    ]

    private static func entry(_ key: ConfigurationKey, _ settings: Settings) -> [String] {
        let name = key.path.dropFirst(key.section.count + 1)
        let texts = key.print(settings)
        switch key.shape {
        case .single where name.isEmpty:
            return comment(key.summary, indent: "")
                + ["\(key.path): \(scalar(texts.first ?? ""))"]
        case .single:
            return comment(key.summary, indent: "  ") + ["  \(name): \(scalar(texts.first ?? ""))"]
        case .tree:
            let hasKeys = all.contains { $0.path.hasPrefix("\(key.path).") }
            return comment(key.summary, indent: "") + [hasKeys ? "\(key.path):" : "\(key.path): {}"]
        case .list where name.isEmpty:
            return comment(key.summary, indent: "")
                + ["\(key.path): [\(texts.map(scalar).joined(separator: ", "))]"]
        case .list:
            let elements = texts.map(scalar).joined(separator: ", ")
            return comment(key.summary, indent: "  ") + ["  \(name): [\(elements)]"]
        case .map:
            let pairs = texts.map { text in
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                return "  \(scalar(parts[0])): \(scalar(parts[1]))"
            }
            if name.isEmpty { return comment(key.summary, indent: "") + ["\(key.path):"] + pairs }
            let value = pairs.isEmpty ? [" {}"] : [""] + pairs.map { "\n  \($0)" }
            return comment(key.summary, indent: "  ") + ["  \(name):\(value.joined())"]
        case .secret:
            // The comment of the key for the secret's file, which follows, covers both.
            return []
        }
    }

    /// Returns comment lines of at most 100 columns.
    private static func comment(_ text: String, indent: String) -> [String] {
        var lines: [String] = []
        var line = "\(indent)#"
        for word in text.split(separator: " ") {
            if line.count + word.count + 1 > 100 {
                lines.append(line)
                line = "\(indent)#"
            }
            line += " \(word)"
        }
        return lines + [line]
    }

    /// Returns the text, in quotes unless it is one plain word.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "/"):
                    true
                default: false
                }
            } && text.first.map { $0.isLetter || $0.isNumber } ?? false
        if isPlain { return text }
        let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\"\(String(escaped))\""
    }
}
