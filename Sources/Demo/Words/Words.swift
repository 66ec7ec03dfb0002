/// Lists of words, small tables and patterns of sentences. They lie in `words.txt`
/// and `figures.txt`.
enum Words {
    /// The lines of a list. A dash is an empty one.
    static func list(_ name: String) -> [String] { lists[name] ?? [] }

    static var names: [String] { Array(lists.keys) }

    /// The lines of a table, divided at the bars.
    static func rows(_ name: String) -> [[String]] {
        list(name).map { $0.split(separator: " | ").map(String.init) }
    }

    /// A line of a list, drawn at random and filled in. What stands in braces is:
    ///
    /// | in braces | becomes |
    /// | --- | --- |
    /// | `title`, if that is given | the given text |
    /// | `1931-1989` | a number from that range |
    /// | `titles.nouns` | a line of that list, filled in |
    /// | `titles.nouns:lower` | the same in lower case |
    static func text(
        _ name: String, _ random: inout SeededRandom, _ given: [String: String] = [:]
    ) -> String {
        let lines = list(name)
        // A list that is missing is seen in a title, and by a test.
        return lines.isEmpty ? name : filled(random.pick(lines), &random, given)
    }

    /// The pattern with everything in braces filled in; see ``text(_:_:_:)``.
    static func filled(
        _ pattern: String, _ random: inout SeededRandom, _ given: [String: String] = [:]
    ) -> String {
        var (text, rest) = ("", Substring(pattern))
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let parts = rest[rest.index(after: open)..<close].split(separator: ":")
            let name = String(parts.first ?? "")
            let range = name.split(separator: "-").compactMap { Int($0) }
            let word =
                if let word = given[name] {
                    word
                } else if range.count == 2 {
                    String(random.integer(in: range[0]...range[1]))
                } else {
                    self.text(name, &random, given)
                }
            text += rest[..<open] + (parts.count > 1 ? word.lowercased() : word)
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    private static let lists: [String: [String]] = {
        var (lists, name): ([String: [String]], String) = ([:], "")
        let files = PackageResources.words_txt + PackageResources.figures_txt
        for line in String(decoding: files, as: UTF8.self).split(separator: "\n")
        where !line.hasPrefix("# ") {
            if line.hasPrefix("[") {
                name = String(line.dropFirst().dropLast())
            } else {
                lists[name, default: []].append(line == "-" ? "" : String(line))
            }
        }
        return lists
    }()
}
