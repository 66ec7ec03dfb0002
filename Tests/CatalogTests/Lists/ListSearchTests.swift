import Foundation
import TestSupport
import Testing

@testable import Catalog

/// Finding rows of a list.
@Suite(.timeLimit(.minutes(1))) struct ListSearchTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func source(_ rows: [String]) throws -> ListSource {
        let text = (["sku,title,poster"] + rows).joined(separator: "\n") + "\n"
        _ = try directory.write(Array(text.utf8), to: "posters.csv")
        return ListSource(
            ListFile(
                ListDefinition(
                    name: "posters", title: "Posters", place: directory.file("posters.csv")),
                directory: directory.file("lists")
            ) { _ in })
    }

    /// Enough rows for signatures, and one more block.
    private static let many = Int(ListTexts.rows * (ListTexts.fewest + 2)) + 5

    private func manySource() throws -> ListSource {
        try source(
            (0..<Self.many).map { number in
                "S\(number),\(Self.title(number)),https://a/\(number).jpg"
            })
    }

    private static func title(_ number: Int) -> String {
        switch number {
        case 0: "Ångström’s Überfall"
        case 4_000: "Needle of gold"
        case 8_300: "needle and thread"
        case many - 1: "Last needle"
        default: "Poster \(number)"
        }
    }

    private func page(
        _ source: ListSource, _ parameters: [String: String]
    ) async throws -> CatalogPage {
        let query = try source.query(list: "pictures", parameters: parameters)
        return try #require(try await source.page(query, api: ScriptedAPI([:])))
    }

    private func ids(_ source: ListSource, _ parameters: [String: String]) async throws -> [String]
    {
        try await page(source, parameters).items.map(\.entry.item.id)
    }

    @Test(
        arguments: [
            (["q": "needle"], ["S4000", "S8300", "S\(many - 1)"]),
            (["q": "NEEDLE gold"], ["S4000"]), (["q": "gold needle"], ["S4000"]),
            (["title": "needle of"], ["S4000"]), (["title": "gold needle"], []),
            (["q": "s8300"], ["S8300"]), (["title": "s8300"], []),
            (["q": "angstrom's"], ["S0"]), (["q": "UBERFALL"], ["S0"]), (["title": "ång"], ["S0"]),
            (["q": "needle", "title": "thread"], ["S8300"]), (["q": "nothing at all"], []),
            (["q": "needle", "sort": "last"], ["S\(many - 1)", "S8300", "S4000"]),
            (["title": "ž"], []), (["q": "ñeedle of"], ["S4000"]),
        ] as [([String: String], [String])])
    func `a search finds rows of the whole list by title and id, without case and accents`(
        parameters: [String: String], found: [String]
    ) async throws {
        let source = try manySource()
        #expect(try await ids(source, parameters) == found)
        #expect(try await page(source, parameters).total == found.count)
    }

    @Test(arguments: ["list", "last"])
    func `pages of a search have all of its rows, each once`(sort: String) async throws {
        let source = try manySource()
        var parameters = ["q": "poster", "limit": "500", "sort": sort]
        var found: [String] = []
        while true {
            let page = try await page(source, parameters)
            found += page.items.map(\.entry.item.id)
            #expect(page.items.count == 500 || page.next == nil)
            guard let next = page.next else { break }
            parameters["after"] = next.parameters["after"]
        }
        let all = (0..<Self.many).filter { Self.title($0).hasPrefix("Poster") }.map { "S\($0)" }
        #expect(found == (sort == "list" ? all : all.reversed()))
    }

    @Test func `a part of one letter is found, too`() async throws {
        let source = try source(["a,Xylophone,https://a/1.jpg", "b,Piano,https://a/2.jpg"])
        #expect(try await ids(source, ["title": "x"]) == ["a"])
    }

    @Test func `a list is read from its end, and in pages of any size`() async throws {
        let source = try manySource()
        #expect(try await ids(source, ["limit": "2"]) == ["S0", "S1"])
        let last = try await page(source, ["limit": "2", "sort": "last"])
        #expect(
            last.items.map(\.entry.item.id) == ["S\(Self.many - 1)", "S\(Self.many - 2)"])
        let next = try #require(last.next)
        #expect(
            try await ids(source, next.parameters) == ["S\(Self.many - 3)", "S\(Self.many - 4)"])
        let end = try await page(
            source, ["limit": "500", "sort": "last", "page": "\(Self.many / 500)"])
        #expect(end.items.last?.entry.item.id == "S0" && end.next == nil)
    }

    @Test(
        arguments: [
            (["q": "ab"], "at least 3 characters"),
            (["sort": "title"], "“sort” must be list or last"),
            (["limit": "0"], "“limit” must be a whole number from 1 to 500"),
            (["limit": "501"], "“limit” must be a whole number from 1 to 500"),
        ] as [([String: String], String)])
    func `a search that can't be meant is refused`(
        parameters: [String: String], sentence: String
    ) throws {
        let source = try source(["a,b,https://a/1.jpg"])
        do {
            _ = try source.query(list: "pictures", parameters: parameters)
            Issue.record("It was accepted.")
        } catch {
            #expect("\(error)".contains(sentence), "\(error)")
        }
    }

    @Test func `a usual value is not part of a query`() throws {
        let source = try source(["a,b,https://a/1.jpg"])
        let query = try source.query(
            list: "pictures", parameters: ["limit": "100", "sort": "list", "q": " ", "after": "0"])
        #expect(query.parameters == ["page": "0"])
    }

    @Test func `a double of a row is not found`() async throws {
        let source = try source([
            "a,First word,https://a/1.jpg", "a,Second word,https://a/2.jpg",
            "b,Third word,https://a/3.jpg",
        ])
        #expect(
            try await page(source, ["q": "word"]).items.map(\.entry.title) == [
                "First word", "Third word",
            ])
    }
}
