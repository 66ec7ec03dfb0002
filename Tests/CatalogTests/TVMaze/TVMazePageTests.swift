import Catalog
import JSON
import PlayedAPIs
import Testing

@Suite(.timeLimit(.minutes(1))) struct TVMazePageTests {
    let source = TVMaze()

    private func shows(_ page: String) throws -> ListQuery {
        try source.query(list: "shows", parameters: ["page": page])
    }

    @Test func `a short page of the index has a next one`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows?page=3": JSON.list([
                TVMazeShow(id: 760, name: "Saltwind").json
            ]).text
        ])
        let page = try #require(try await source.page(shows("3"), api: api))
        #expect(page.items.map(\.entry.item.description) == ["tvmaze/show/760"])
        #expect(page.next == (try shows("4")))
        #expect(page.firstIndex == 750)
        #expect(api.asked.map(\.allowedHosts.count) == [1])
    }

    @Test
    func
        `a page begins at most 250 items after the one before, and the last possible one is an end`()
        async throws
    {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows?page=0": "[]",
            "https://api.tvmaze.com/shows?page=100000": "[]",
        ])
        #expect(try await source.page(shows("0"), api: api)?.firstIndex == 0)
        let last = try #require(try await source.page(shows("100000"), api: api))
        #expect(last.next == nil)
    }

    @Test func `404 ends the index`() async throws {
        let api = ScriptedAPI([
            "https://api.tvmaze.com/shows?page=5": APIAnswer(status: 404, body: [])
        ])
        #expect(try await source.page(shows("5"), api: api) == nil)
    }

    @Test func `a broken show loses only itself`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows?page=0": """
            [{"id":1,"name":"One"}, null, 7, "x", {"name":"no id"}, {"id":"2"}, {"id":-3},
             {"id":4,"name":5,"image":[],"genres":"Drama","summary":{},"network":"x","url":1},
             {"id":5,"name":null,"genres":["Drama",null,3," War "],"premiered":"soon",
              "url":"https://example.org/shows/5","image":{"medium":3,"original":null}}]
            """
        ])
        let page = try #require(try await source.page(shows("0"), api: api))
        #expect(page.items.map(\.entry.item.id) == ["1", "4", "5"])
        #expect(page.items.map(\.entry.title) == ["One", "Show 4", "Show 5"])
        #expect(page.items.last?.entry.genres == ["Drama", "War"])
        #expect(page.items.last?.entry.date == nil)
        #expect(page.items.last?.entry.link == nil)
        #expect(page.items.allSatisfy { $0.chain.isEmpty })
    }

    @Test(arguments: [
        (200, "<html>", "TVmaze answered something that is not JSON."),
        (200, "", "TVmaze answered something that is not JSON."),
        (200, #"{"name":"x"}"#, "TVmaze answered JSON of an unknown shape."),
        (200, "null", "TVmaze answered JSON of an unknown shape."),
        (403, "[]", "api.tvmaze.com answered 403."),
        (301, "null", "api.tvmaze.com answered 301."),
    ])
    func `an answer that makes no sense is unavailable, never an empty page`(
        status: Int, body: String, sentence: String
    ) async {
        let api = ScriptedAPI([
            "https://api.tvmaze.com/shows?page=0": APIAnswer(
                status: status, body: Array(body.utf8)),
            "https://api.tvmaze.com/search/shows?q=dome": APIAnswer(
                status: status, body: Array(body.utf8)),
        ])
        for (list, given) in [("shows", [:]), ("search", ["q": "dome"])] {
            await #expect(
                throws: Failure.unavailable(
                    reason: sentence, timedOut: false, retryAfter: nil)
            ) {
                try await source.page(
                    try source.query(list: list, parameters: given), api: api)
            }
        }
    }

    @Test func `a search is one page in the order of the answer`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/search/shows?q=snow%20%26%20%C3%A9t%C3%A9%2F": """
            [{"score":0.9,"show":{"id":10412,"name":"Snow"}}, {"score":0.8}, {"score":0.7,"show":null},
             {"score":"?","show":{"id":3,"name":"Snowy"}}]
            """
        ])
        let query = try source.query(list: "search", parameters: ["q": "snow & été/"])
        let page = try #require(try await source.page(query, api: api))
        #expect(page.items.map(\.entry.title) == ["Snow", "Snowy"])
        #expect(page.next == nil)
        #expect(page.firstIndex == 0)
    }

    @Test func `a search without a hit is an empty page`() async throws {
        let api = ScriptedAPI(json: ["https://api.tvmaze.com/search/shows?q=zzzz": "[]"])
        let query = try source.query(list: "search", parameters: ["q": "zzzz"])
        #expect(
            try await source.page(query, api: api)
                == CatalogPage(
                    items: [], next: nil, firstIndex: 0))
    }
}
