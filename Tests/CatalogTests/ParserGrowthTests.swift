import Foundation
import JSON
import TestSupport
import Testing

@testable import Catalog

/// Every reader of foreign texts takes time in proportion to them, also for those that are made to hurt.
@Suite(.timeLimit(.minutes(1))) struct ParserGrowthTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var size = 8_000
        var input: @Sendable (Int) -> [UInt8]
        var read: @Sendable ([UInt8]) throws -> Void

        init(
            _ name: String, size: Int = 8_000, _ input: @escaping @Sendable (Int) -> String,
            _ read: @escaping @Sendable ([UInt8]) throws -> Void
        ) {
            testDescription = name
            self.size = size
            self.input = { Array(input($0).utf8) }
            self.read = read
        }
    }

    private static func fill(_ text: String, _ size: Int) -> String {
        String(repeating: text, count: max(1, size / text.utf8.count))
    }

    // MARK: - Lists

    private static func list(
        _ name: String, _ input: @escaping @Sendable (Int) -> String
    ) -> Case {
        Case("a list: \(name)", input) { _ = ReadList($0) }
    }

    static let lists: [Case] = [
        list("a quotation mark that stays open") { "id,url\n1,\"" + fill("https://a/b\n", $0) },
        list("a quotation mark that stays open, in the heading") {
            "id,\"url\n" + fill("a,b\n", $0)
        },
        list("quotation marks behind blanks") {
            "id,url\n1," + fill(" ", $0 / 2) + "a" + fill("\"", $0 / 2) + ",https://a/b\n"
        },
        list("doubled quotation marks") { "id,url\n\"" + fill("\"\"", $0) + "\",https://a/b\n" },
        list("tabs") { "id\turl\n" + fill("1\thttps://a/b\n", $0) },
        list("separators alone") { "id,url\n" + fill(",", $0) + "\n" },
        list("a heading of many columns") { "url" + fill(",a", $0) + "\nhttps://a/b\n" },
        list("several URLs in a cell") { "id,url\n1,https://a" + fill("b://", $0) + "\n" },
        list("plain lines") { fill("https://a/b\n", $0) },
        list("one plain line") { "https://a/" + fill("b,;|", $0) + "\n" },
        list("blanks") { fill(" ", $0) + "https://a/b" + fill(" ", $0) + "\n" },
        list("objects") { fill("{\"url\":\"https://a/b\",\"id\":1}\n", $0) },
        list("an object of many members") { size in
            let members = (0..<size / 10).map { "\"m\($0)\":1" }
            return "{\"url\":\"https://a/b\",\(members.joined(separator: ","))}\n"
        },
        list("texts") { fill("\"https://a/b\"\n", $0) },
    ]

    // MARK: - Answers of APIs

    private static func document(
        _ name: String, size: Int = 8_000, _ input: @escaping @Sendable (Int) -> String,
        _ read: @escaping @Sendable (JSON) throws -> Void = { _ in }
    ) -> Case {
        Case(name, size: size, input) { bytes in
            // What can't be read takes time, too.
            if let tree = try? JSON(parsing: bytes) { try read(tree) }
        }
    }

    private static func path(
        _ path: String, _ input: @escaping @Sendable (Int) -> String
    ) -> Case {
        document("JSONPath \(path)", input) { _ = try JSONPath(path).values(in: $0) }
    }

    private static func objects(_ size: Int) -> String {
        let objects = (0..<size / 16).map { "{\"a\":\($0),\"b\":[1]}" }
        return "[\(objects.joined(separator: ","))]"
    }

    private static func art(
        _ name: String, _ input: @escaping @Sendable (Int) -> String
    ) -> Case {
        document("Linked Art: \(name)", size: 16_000, input) { tree in
            let item = Item(source: "rijksmuseum", kind: "object", id: "1")
            _ = MuseumObject(tree)?.entry(of: item)
            _ = MuseumSearch(tree)
        }
    }

    static let answers: [Case] = [
        document("JSON: lists in lists") { fill("[[1],", $0) },
        document("JSON: escapes") { "\"" + fill("\\u00e9\\n", $0) + "\"" },
        document("JSON: a text that stays open") { "\"" + fill("a", $0) },
        document("JSON: blanks") { fill(" \n", $0) + "1" },
        document("JSON: digits") { fill("1", $0) + "." + fill("2", $0) },
        Case("JSON: its extent", size: 32_000, { "[" + fill("\"a\\\",[", $0) + "]" }) {
            _ = JSON.Extent(of: $0)
        },
        path("$..a", objects), path("$[*].b[0]", objects), path("$[?@.a == 3]", objects),
        path("$[?@.b == $[0].b].a", objects), path("$[::-1]", objects),
        document("what a path misses", objects) { _ = try JSONPath("$[*].c.d").miss(in: $0) },
        art("names that refer to names") { size in
            let names = (0..<size / 100).map {
                "{\"type\":\"Name\",\"id\":\"_:\($0)\"},{\"translation_of\":"
                    + "{\"id\":\"_:\($0)\",\"content\":\"n\"}}"
            }
            return "{\"id\":\"x\",\"identified_by\":[\(names.joined(separator: ","))]}"
        },
        art("materials") { size in
            let terms = (0..<size / 40).map {
                "{\"notation\":{\"@language\":\"en\",\"@value\":\"\($0)\"}}"
            }
            return "{\"id\":\"x\",\"made_of\":[\(terms.joined(separator: ","))]}"
        },
        art("objects that are found") { size in
            let ids = (0..<size / 40).map { "\"https://id.rijksmuseum.nl/\($0)\"" }
            return "{\"id\":\"x\",\"orderedItems\":[\(ids.joined(separator: ","))]}"
        },
    ]

    // MARK: - Texts

    private static func text(
        _ name: String, _ input: @escaping @Sendable (Int) -> String,
        _ read: @escaping @Sendable (String) throws -> Void
    ) -> Case {
        Case(name, input) { try read(String(decoding: $0, as: UTF8.self)) }
    }

    private static func html(
        _ name: String, _ input: @escaping @Sendable (Int) -> String
    ) -> Case {
        text("HTML: \(name)", input) { _ = HTMLText.plain($0) }
    }

    private static let entry: CatalogEntry = {
        var entry = CatalogEntry(item: Item(source: "s", kind: "k", id: "1"), title: "t")
        entry.translations = ["nl": .init(title: "t"), "pt-BR": .init(title: "t")]
        return entry
    }()

    private static func languages(
        _ name: String, _ input: @escaping @Sendable (Int) -> String
    ) -> Case {
        text("Accept-Language: \(name)", input) {
            _ = entry.inLanguage(try LanguagePreference(lang: nil, acceptLanguage: $0))
        }
    }

    static let texts: [Case] = [
        html("tags that begin") { fill("<a", $0) }, html("lone signs") { fill("< &", $0) },
        html("comments that stay open") { fill("<!--", $0) },
        html("scripts that stay open") { fill("<script>", $0) },
        html("quotes that stay open") { fill("<a b=\"", $0) },
        html("entities") { fill("&amp;&#x41;&nothing", $0) },
        html("paragraphs") { fill("<p>a", $0) },
        text("JSONPath: names", { "$" + fill(".a", $0) }) { _ = try JSONPath($0) },
        text("JSONPath: a name in quotes", { "$['" + fill("\\u0041", $0) + "']" }) {
            _ = try JSONPath($0)
        },
        text("JSONPath: a filter", { "$[?@.a == 1" + fill(" && @.b", $0) + "]" }) {
            _ = try JSONPath($0)
        },
        text("a template", { "https://a.example/" + fill("{id}{$.a}", $0) }) {
            _ = try SourceTemplate($0, variables: ["id"]).filled(with: .init(), isURL: true)
        },
        languages("a range of many parts") { "en" + fill("-a", $0) },
        languages("many ranges") { fill("en-x;q=0.5,", $0) },
        text("a name that is not known", { fill("a", $0 / 8) }) {
            _ = NearestName.of($0, among: ["title", "hosts", "rights"])
        },
        text("a URL", { "https://a/" + fill("://@ ü", $0) }) {
            _ = (try NormalURL($0), SignedURL.place(of: $0))
        },
    ]

    @Test(arguments: lists + answers + texts)
    func `sixteen times the text takes sixteen times as long, and not its square`(
        one: Case
    ) throws {
        let growth = try excessiveGrowth(from: one.size, one.input, one.read)
        #expect(growth == nil)
    }
}
