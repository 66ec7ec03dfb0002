/// Lists of words and small tables, which lie in `words.txt`.
enum Words {
    /// The lines of a list; a dash is an empty one.
    static func list(_ name: String) -> [String] { lists[name] ?? [] }

    /// The lines of a table, divided at the bars.
    static func rows(_ name: String) -> [[String]] {
        list(name).map { $0.split(separator: " | ").map(String.init) }
    }

    /// Lines in Dutch and English.
    static func pairs(_ name: String) -> [Bilingual] {
        rows(name).compactMap { $0.count == 2 ? Bilingual($0[0], $0[1]) : nil }
    }

    private static let lists: [String: [String]] = {
        var (lists, name): ([String: [String]], String) = ([:], "")
        let text = String(decoding: PackageResources.words_txt, as: UTF8.self)
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                name = String(line.dropFirst().dropLast())
            } else {
                lists[name, default: []].append(line == "-" ? "" : String(line))
            }
        }
        return lists
    }()
}
