import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct ListSourceTests {
    private let directory: TemporaryDirectory
    private let reports = Reports()

    init() throws { directory = try TemporaryDirectory() }

    final class Reports: Sendable {
        let all = Mutex<[String]>([])
    }

    private func source(_ place: String? = nil, _ columns: ListColumns = ListColumns())
        -> ListSource
    {
        var definition = ListDefinition(
            name: "posters", title: "Posters", place: place ?? directory.file("posters.csv"))
        definition.columns = columns
        return ListSource(
            ListFile(definition, directory: directory.file("lists")) { [reports] text in
                reports.all.withLock { $0.append(text) }
            })
    }

    private func write(_ text: String) throws {
        _ = try directory.write(Array(text.utf8), to: "posters.csv")
    }

    private func titles(_ source: ListSource, page: Int = 0) async throws -> [String] {
        let query = try source.query(list: "pictures", parameters: ["page": "\(page)"])
        let page = try #require(try await source.page(query, api: ScriptedAPI([:])))
        return page.items.map { "\($0.entry.item.id) \($0.entry.title)" }
    }

    private func url(_ source: ListSource, _ id: String) async throws -> String? {
        let item = try source.item(kind: "picture", id: id)
        return try await source.pictured(item, api: ScriptedAPI([:])).flatMap {
            SignedURL.url(ofID: $0.id)
        }
    }

    @Test func `rows are items in the list's order, with titles and URLs`() async throws {
        try write("sku,name,poster_url\nS1,One,https://a/1.jpg\nS 2/b,,https://a/2.jpg\n")
        let source = source()
        #expect(try await titles(source) == ["S1 One", "S~202~2Fb S 2/b"])
        #expect(try await url(source, "S1") == "https://a/1.jpg")
        #expect(try await url(source, "S 2/b") == "https://a/2.jpg")
        #expect(try await url(source, "S3") == nil)
        let details = try await source.details(
            of: try source.item(kind: "picture", id: "S1"), api: ScriptedAPI([:]))
        #expect(details.entry.objectNumber == "S1")
        #expect(
            details.chain
                == [.candidate(Candidate(url: "https://a/1.jpg", label: "list", rank: 0))])
    }

    @Test func `pages have a hundred rows each, and an id that is repeated has its first row`()
        async throws
    {
        let rows = (0..<250).map { "S\($0 % 240),https://a/\($0).jpg" }
        try write((["sku,poster"] + rows).joined(separator: "\n"))
        let source = source()
        #expect(try await titles(source, page: 2).count == 40)
        #expect(try await titles(source).first == "S0 S0")
        #expect(try await url(source, "S5") == "https://a/5.jpg")
        let last = try source.query(list: "pictures", parameters: ["page": "3"])
        #expect(try await source.page(last, api: ScriptedAPI([:])) == nil)
    }

    @Test(arguments: [nil, "", "sku,poster\n", "no list at all"])
    func `a list that is gone, empty or broken leaves the last one in use`(
        text: String?
    ) async throws {
        try write("sku,poster\nS1,https://a/1.jpg\n")
        let source = source()
        #expect(try await titles(source).count == 1)
        if let text {
            try write(text)
        } else {
            try FileManager.default.removeItem(atPath: directory.file("posters.csv"))
        }
        #expect(try await url(source, "S1") == "https://a/1.jpg")
        // The next start, too.
        #expect(try await url(self.source(), "S1") == "https://a/1.jpg")
        #expect(reports.all.withLock { $0.isEmpty } == (text == nil))
    }

    @Test func `rows that can't be read are counted, and the first of them is named`() async throws
    {
        let rows = ["1,https://a/1.jpg", "2,n/a", "3,", "1,https://a/4.jpg", "5,https://a/5.jpg"]
        try write((["sku,poster"] + rows).joined(separator: "\n"))
        let source = source()
        #expect(try await titles(source) == ["1 1", "5 5"])
        #expect(try await source.file.rows() == ListedRows(all: 5, doubles: 1, refused: 2))
        #expect(
            reports.all.withLock { $0 } == [
                "The list “posters” has 5 rows, of which 2 can't be read; the first of them is line 3: "
                    + "“n/a” is not an absolute http or https URL."
            ])
    }

    @Test func `other columns are other rows`() async throws {
        try write("sku,front,back\nS1,https://a/1.jpg,https://a/2.jpg\n")
        #expect(try await url(source(nil, ListColumns(url: "front")), "S1") == "https://a/1.jpg")
        #expect(try await url(source(nil, ListColumns(url: "back")), "S1") == "https://a/2.jpg")
        await #expect(throws: Failure.self) {
            _ = try await url(
                ListSource(
                    ListFile(
                        ListDefinition(
                            name: "others", title: "", place: directory.file("posters.csv")),
                        directory: directory.file("lists")
                    ) { _ in }), "S1")
        }
    }

    @Test func `clients can't name a picture by its URL`() throws {
        #expect(throws: Failure.self) {
            try source().item(kind: ListSource.urlKind, id: "aHR0cDovL2EvYg")
        }
    }

    @Test func `a list of a hundred thousand rows is found by ids, in several parts of the table`()
        async throws
    {
        let count = 100_000
        let path = directory.file("many.csv")
        var text = "sku,title,poster\n"
        for row in 0..<count { text += "SKU\(row),Title \(row),https://a/p/\(row).jpg\n" }
        try Data(text.utf8).write(to: URL(filePath: path))
        let stamp = try #require(ListStamp(path, ListStamp.reading(ListColumns())))
        let file = directory.file("many.index")
        #expect(
            try ListIndexWriter.write(path, ListColumns(), stamp, to: file, partSlots: 1 << 14)
                == nil)
        let index = try #require(try ListIndex.stored(at: file))
        #expect(index.count == count)
        #expect(index.head.stamp == stamp)
        for row in stride(from: 0, to: count, by: 997) {
            #expect(index.picture("SKU\(row)")?.place == "https://a/p/\(row).jpg")
            #expect(index.picture("SKU-\(row)") == nil)
        }
        #expect(index.pictures(99_990..<100_010).map(\.line) == Array(99_992...100_001))
    }

    @Test func `a list on a server is kept, and stays in use while it can't be reached`()
        async throws
    {
        let place = "https://shop.example/posters.csv"
        let source = source(place)
        let query = try source.query(list: "pictures", parameters: [:])
        let api = ScriptedAPI(json: [place: "id,image\n1,https://a/1.jpg\n"])
        #expect(try await source.page(query, api: api)?.items.count == 1)
        let next = self.source(place)
        let down = ScriptedAPI([place: APIAnswer(status: 503, body: [])])
        #expect(try await next.page(query, api: down)?.items.count == 1)
    }

    @Test(arguments: [
        (APIAnswer(status: 403, body: []), "https://shop.example/posters.csv answered 403."),
        (
            APIAnswer(status: 200, body: Array("sku,name\n1,One\n".utf8)),
            "https://shop.example/posters.csv: Line 1 names sku, name; none is a URL column."
        ),
    ])
    func `why a list on a server can't be read is said without its URL's secrets`(
        answer: APIAnswer, reason: String
    ) async throws {
        let place = "https://me:geheim@shop.example/posters.csv?token=geheim"
        let source = source(place)
        let query = try source.query(list: "pictures", parameters: [:])
        do throws(Failure) {
            _ = try await source.page(query, api: ScriptedAPI([place: answer]))
            Issue.record("the list was read")
        } catch {
            #expect(error.reason.contains(reason), "\(error)")
            #expect(!"\(error.reason)\(reports.all.withLock { $0 })".contains("geheim"))
        }
    }
}
