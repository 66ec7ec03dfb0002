import Catalog
import Fetch
import JSON
import PlayedAPIs
import Testing

/// Pages of a search; all answers made up.
@Suite(.timeLimit(.minutes(1))) struct MuseumPageTests {
    let source = Rijksmuseum()
    static let search = "https://data.rijksmuseum.nl/search/collection?imageAvailable=true"

    /// The answer to a search without parameters.
    private static func found(_ numbers: some Swift.Sequence<Int>, next: String? = nil) -> String {
        MuseumDocument.page(Array(numbers), total: 7, address: search, next: next).text
    }

    private static func titled(_ number: Int) -> String {
        MadeUp.object(number, #""identified_by":\#(MadeUp.name("Title \(number)", "en"))"#)
    }

    private func page(
        _ museum: MuseumScript, _ parameters: [String: String] = [:]
    ) async throws -> CatalogPage {
        let query = try source.query(list: "objects", parameters: parameters)
        return try #require(try await source.page(query, api: museum))
    }

    @Test func `objects come in the order of the answer, titled, their pictures still to be found`()
        async throws
    {
        let numbers = [3, 1, 2]
        var bodies: [String: String?] = [Self.search: Self.found(numbers + [1])]
        for number in numbers { bodies["\(number)"] = Self.titled(number) }
        let page = try await page(MuseumScript(bodies))
        #expect(page.items.map(\.entry.title) == ["Title 3", "Title 1", "Title 2"])
        #expect(page.items.allSatisfy { !$0.isResolved && $0.chain.isEmpty })
        #expect(page.total == 7)
        #expect(page.firstIndex == 0)
        #expect(page.next == nil)
    }

    @Test func `a page is twenty of the museum's objects, read at most four at once`() async throws
    {
        let following = "\(Self.search)&pageToken=x"
        var bodies: [String: String?] = [Self.search: Self.found(1...45, next: following)]
        for number in 1...45 { bodies["\(number)"] = Self.titled(number) }
        let museum = MuseumScript(bodies, meeting: 4)
        let first = try await page(museum)
        #expect(museum.mostAtOnce == 4)
        #expect(museum.calls.count == 21)
        #expect(first.items.map(\.entry.title) == (1...20).map { "Title \($0)" })
        #expect(first.next?.parameters == ["part": "1"])
        #expect(first.total == 7)
    }

    @Test func `parts of a page are of one answer, and the museum's token follows the last`()
        async throws
    {
        let following = "\(Self.search)&pageToken=x"
        var bodies: [String: String?] = [Self.search: Self.found(1...45, next: following)]
        for number in 1...45 { bodies["\(number)"] = Self.titled(number) }
        let museum = MuseumScript(bodies)
        // A client that starts again gets a new answer, and the first part needs no other.
        #expect(try await page(museum).items.count == 20)
        let second = try await page(museum, ["part": "1"])
        #expect(second.items.first?.entry.title == "Title 21")
        #expect(second.firstIndex == 20)
        let last = try await page(museum, ["part": "2"])
        #expect(last.items.map(\.entry.title) == (41...45).map { "Title \($0)" })
        #expect(last.next?.parameters == ["pageToken": "x"])
        #expect(try await page(museum, ["part": "3"]).items.isEmpty)
        let searches = museum.calls.filter { $0.url == Self.search }.compactMap(\.keeping)
        #expect(searches.map(\.use) == [.afterwards, .whileFresh, .whileFresh, .whileFresh])
        #expect(searches.allSatisfy { $0.key == Self.search && $0.timeToLive == 900 })
    }

    @Test(
        arguments: [
            (
                "\(search)&title=De+Nachtwacht%26&pageToken=eyJ0b2tlbiI6IDEwNH0",
                ["title": "De Nachtwacht&", "pageToken": "eyJ0b2tlbiI6IDEwNH0"]
            ),
            (
                "http://data.rijksmuseum.nl:80/search/collection?pageToken=a%3D%2Bb%2F=",
                ["pageToken": "a=+b/="]
            ),
            (
                "https://data.rijksmuseum.nl/search/collection?pageToken=%C3%A9+&new=1",
                ["pageToken": "é "]
            ),
            ("https://data.rijksmuseum.nl/search/collection?title=Nachtwacht", nil),
            ("https://data.rijksmuseum.nl/search/collection?pageToken=", nil),
            ("https://data.rijksmuseum.nl/search/collection?pageToken=%E9", nil),
            // A percent sign that begins no escape is one.
            (
                "https://data.rijksmuseum.nl/search/collection?pageToken=%+1",
                ["pageToken": "% 1"]
            ),
            ("https://data.rijksmuseum.nl/search/collection?pageToken=%4", ["pageToken": "%4"]),
            ("https://data.rijksmuseum.nl/search/people?pageToken=x", nil),
            ("https://data.rijksmuseum.nl.example.com/search/collection?pageToken=x", nil),
            ("https://id.rijksmuseum.nl/search/collection?pageToken=x", nil),
            ("https://me@data.rijksmuseum.nl/search/collection?pageToken=x", nil),
        ] as [(String, [String: String]?)])
    func `the next page is the one the museum names, its token unchanged`(
        next: String, parameters: [String: String]?
    ) async throws {
        let museum = MuseumScript([Self.search: Self.found([], next: next)])
        let page = try await page(museum)
        #expect(page.next?.parameters == parameters)
        guard var following = page.next else { return }
        following.link = nil
        #expect(following == page.next)
        _ = try? await source.page(try #require(page.next), api: museum)
        #expect(museum.asked.last == next)
    }

    @Test func `a later page does not tell its place, and one that leads to itself is the last`()
        async throws
    {
        let url = "\(Self.search)&pageToken=x"
        let museum = MuseumScript([url: Self.found([], next: url)])
        let page = try await page(museum, ["pageToken": "x"])
        #expect(page.firstIndex == nil)
        #expect(page.next == nil)
    }

    @Test func `an object that can't be read is listed by its number`() async throws {
        let museum = MuseumScript([
            Self.search: Self.found([1, 2, 3, 4]), "1": nil, "2": Self.titled(2), "3": "<html>",
        ])
        let page = try await page(museum)
        #expect(
            page.items.map(\.entry.title) == ["Object 1", "Title 2", "Object 3", "Object 4"])
        #expect(page.items[0].entry.link == "https://id.rijksmuseum.nl/1")
    }

    @Test func `a page is unavailable if the museum answers for none of its objects`() async {
        let museum = MuseumScript([Self.search: Self.found([1, 2]), "1": nil, "2": nil])
        await #expect {
            try await page(museum)
        } throws: { error in
            (error as? Failure)?.kind == .sourceUnavailable
        }
    }

    @Test func `objects that are gone are an answer, too`() async throws {
        let museum = MuseumScript([Self.search: Self.found([1, 2]), "1": nil])
        #expect(try await page(museum).items.map(\.entry.title) == ["Object 1", "Object 2"])
    }

    @Test func `a museum that fails is not asked a hundred times`() async throws {
        var bodies: [String: String?] = [Self.search: Self.found(1...20)]
        for number in 1...20 { bodies["\(number)"] = .some(nil) }
        let closed = MuseumScript(bodies)
        await #expect(throws: Failure.self) { try await page(closed) }
        #expect((13...17).contains(closed.calls.count))
        bodies["1"] = Self.titled(1)
        let listed = try await page(MuseumScript(bodies))
        #expect(listed.items.count == 20)
        #expect(listed.items.first?.entry.title == "Title 1")
    }

    @Test(arguments: [400, 404]) func `a refused page is unavailable, and not the end`(
        status: Int
    ) async {
        let museum = MuseumScript(statuses: [Self.search: status])
        await #expect(
            throws: Failure.unavailable(
                reason: "data.rijksmuseum.nl answered \(status).", timedOut: false,
                retryAfter: nil)
        ) {
            try await page(museum)
        }
    }

    @Test func `a token that the museum refuses is the client's mistake`() async {
        let museum = MuseumScript(statuses: ["\(Self.search)&pageToken=x": 400])
        await #expect(
            throws: Failure.invalid(
                reason: "Rijksmuseum does not know this “pageToken”. Start without it.")
        ) {
            try await page(museum, ["pageToken": "x"])
        }
    }

    @Test(arguments: [
        #"{"type":"OrderedCollectionPage","orderedItems":"https://id.rijksmuseum.nl/1"}"#,
        #"{"id":"x","orderedItems":{"id":"http://id.rijksmuseum.nl/1"}}"#,
        """
        {"id":"x","partOf":[{"totalItems":"many"}],"next":"x","orderedItems":
         [null,7,{},{"id":7},"https://example.com/5",{"id":"https://id.rijksmuseum.nl/01"},[]]}
        """,
    ])
    func `links are read as one or many, as strings or objects, and odd ones are left out`(
        body: String
    ) async throws {
        let page = try await page(MuseumScript([Self.search: body, "1": Self.titled(1)]))
        #expect(page.items.map(\.entry.title) == ["Title 1"])
        #expect(page.total == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct RijksmuseumTests {
    let source = Rijksmuseum()

    @Test func `a search asks for pictures, with every parameter there is`() async throws {
        let given = [
            "title": "  Nachtwacht & meer ", "creator": "Rembrandt", "objectNumber": "SK-*",
            "creationDate": "16??", "type": "ei", "technique": "ets", "material": "",
            "pageToken": " e=+/ ",
        ]
        let query = try source.query(list: "objects", parameters: given)
        #expect(
            query.parameters == [
                "title": "Nachtwacht & meer", "creator": "Rembrandt", "objectNumber": "SK-*",
                "creationDate": "16??", "type": "ei", "technique": "ets", "pageToken": " e=+/ ",
            ])
        let url =
            "https://data.rijksmuseum.nl/search/collection?title=Nachtwacht%20%26%20meer"
            + "&creator=Rembrandt&objectNumber=SK-%2A&creationDate=16%3F%3F&type=ei&technique=ets"
            + "&imageAvailable=true&pageToken=%20e%3D%2B%2F%20"
        let museum = MuseumScript([url: #"{"type":"OrderedCollectionPage"}"#])
        #expect(try await source.page(query, api: museum)?.items.isEmpty == true)
        #expect(museum.calls.map(\.url) == [url])
        #expect(
            museum.calls.map { $0.allowedHosts.map(\.description) } == [["data.rijksmuseum.nl"]])
        #expect(museum.calls.map { $0.keeping?.key } == [url])
    }

    @Test func `the title is the list's own parameter`() {
        #expect(source.list("objects")?.ownFilters == ["title"])
        #expect(TVMaze().list("shows")?.ownFilters == [])
    }
}
