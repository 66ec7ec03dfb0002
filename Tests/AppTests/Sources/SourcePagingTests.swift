import Catalog
import TestSupport
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct SourcePagingTests {
    private func source(_ request: String, _ paging: String, _ more: String = "") throws
        -> ConfiguredSource
    {
        try ConfiguredSource(
            yaml: """
                sources:
                  shop:
                    hosts:
                      api.example.org: {query: {apikey: {env: VITRINE_SHOP_KEY}}}
                    kinds:
                      chair: {chain: [{url: "https://api.example.org/{id}.jpg"}]}
                    lists:
                      all:
                        request: https://api.example.org/\(request)
                        items: $.items[*]
                        id: $
                        paging: \(paging)
                        \(more)
                """, environment: ["VITRINE_SHOP_KEY": "s3cret"])
    }

    /// Follows the list to its end. Each page is its ids, joined by spaces.
    private func pages(
        _ source: ConfiguredSource, _ answers: [String: String], statuses: [String: Int] = [:]
    ) async throws -> (pages: [String], total: Int?, firsts: [Int?]) {
        func urls<Value>(_ table: [String: Value]) -> [String: Value] {
            Dictionary(
                uniqueKeysWithValues: table.map { ("https://api.example.org/\($0.key)", $0.value) })
        }
        let api = AnsweringAPI(urls(answers), statuses: urls(statuses))
        var query: ListQuery? = try source.query(list: "all", parameters: [:])
        var pages: [String] = []
        var firsts: [Int?] = []
        var total: Int?
        while let next = query, let page = try await source.page(next, api: api) {
            pages.append(page.items.map(\.entry.item.id).joined(separator: " "))
            firsts.append(page.firstIndex)
            total = page.total ?? total
            // Links go through clients, so they are validated again.
            query = try page.next.map {
                try source.query(list: $0.list, parameters: $0.parameters)
            }
        }
        return (pages, total, firsts)
    }

    @Test func `page numbers end at the number of pages`() async throws {
        let found = try await pages(
            source("p/{page}?n={limit}", "{by: page, size: 2, pages: $.pages}"),
            [
                "p/1?n=2": #"{"items":[1,2],"pages":2}"#, "p/2?n=2": #"{"items":[3,4],"pages":2}"#,
            ])
        #expect(found.pages == ["1 2", "3 4"])
        #expect(found.firsts == [0, 2])
    }

    @Test func `page numbers end at the total`() async throws {
        let found = try await pages(
            source("{page}", "{by: page, first: 0, size: 2, total: $.total}"),
            [
                "0": #"{"items":[1,2],"total":"4"}"#, "1": #"{"items":[3],"total":4}"#,
            ])
        #expect(found.pages == ["1 2", "3"])
        #expect(found.total == 4)
    }

    @Test func `page numbers end at an empty page`() async throws {
        let found = try await pages(
            source("{page}", "{by: page}"), ["1": #"{"items":[1]}"#, "2": #"{"items":[]}"#])
        #expect(found.pages == ["1", ""])
    }

    @Test func `page numbers end at a status`() async throws {
        let found = try await pages(
            source("{page}", "{by: page}", "end: 400"), ["1": #"{"items":[1]}"#],
            statuses: ["2": 400])
        #expect(found.pages == ["1"])
    }

    @Test func `offsets end at a short page`() async throws {
        let found = try await pages(
            source("?from={offset}", "{by: offset, size: 2}"),
            ["?from=0": #"{"items":[1,2]}"#, "?from=2": #"{"items":[3]}"#])
        #expect(found.pages == ["1 2", "3"])
        #expect(found.firsts == [0, 2])
    }

    @Test func `offsets without a size go on by what came`() async throws {
        let found = try await pages(
            source("{offset}", "{by: offset, total: $.n}"),
            ["0": #"{"items":[1,2,3],"n":5}"#, "3": #"{"items":[4,5],"n":5}"#])
        #expect(found.pages == ["1 2 3", "4 5"])
    }

    @Test func `a cursor is passed on until there is none, or it repeats`() async throws {
        let answers = [
            "?c=%2A": #"{"items":[1],"next":"a&b= c"}"#,
            "?c=a%26b%3D%20c": #"{"items":[2],"next":7}"#,
            "?c=7": #"{"items":[3],"next":null}"#,
        ]
        let source = try source("?c={cursor}", "{by: cursor, next: $.next, first: \"*\"}")
        #expect(try await pages(source, answers).pages == ["1", "2", "3"])
        let looping = answers.merging(["?c=7": #"{"items":[3],"next":7}"#]) { $1 }
        #expect(try await pages(source, looping).pages == ["1", "2", "3"])
    }

    @Test(arguments: [
        "https://api.example.org/v1/all?page=2", "http://api.example.org/v1/all?page=2",
        "?page=2", "/v1/all?page=2", "https://api.example.org/v1/all?apikey=s3cret&page=2",
    ])
    func `a link leads on along the same path, without secrets`(link: String) async throws {
        let found = try await pages(
            source("v1/all?sort=name", "{by: link, next: $.links.next}"),
            [
                "v1/all?sort=name": #"{"items":[1],"links":{"next":"\#(link)"}}"#,
                "v1/all?page=2": #"{"items":[2],"links":{}}"#,
            ])
        #expect(found.pages == ["1", "2"])
    }

    @Test(arguments: [
        "https://api.example.org/v1/all?q=Stühle rot|2", "?q=Stühle rot|2",
        "/v1/all?q=Stühle%20rot%7C2", "//api.example.org/v1/all?q=Stühle rot|2#top",
    ])
    func `a link may have what a browser takes`(link: String) async throws {
        let found = try await pages(
            source("v1/all?sort=name", "{by: link, next: $.links.next}"),
            [
                "v1/all?sort=name": #"{"items":[1],"links":{"next":"\#(link)"}}"#,
                "v1/all?q=St%C3%BChle%20rot%7C2": #"{"items":[2],"links":{}}"#,
            ])
        #expect(found.pages == ["1", "2"])
    }

    @Test(arguments: [
        "https://evil.example/v1/all?page=2", "https://api.example.org/v1/other?page=2",
        "https://api.example.org/v1/all/../secret?x", "/v1/al?page=2", "page=2",
    ])
    func `a link to another place is not followed`(link: String) async throws {
        await #expect {
            try await pages(
                source("v1/all?sort=name", "{by: link, next: $.next}"),
                ["v1/all?sort=name": #"{"items":[1],"next":"\#(link)"}"#])
        } throws: { error in
            (error as? Failure)?.reason.contains("leads elsewhere than the list") == true
        }
    }

    @Test(arguments: ["a b", "x#y", "é"])
    func `a client can't make a cursor into another address`(cursor: String) async throws {
        let source = try source("v1/all", "{by: link, next: $.next}")
        let query = try source.query(list: "all", parameters: ["cursor": cursor])
        await #expect(
            throws: Failure.invalid(
                reason: "“cursor” is not a part of a link to another page.")
        ) { try await source.page(query, api: AnsweringAPI([:])) }
    }

    @Test func `an answer without the list says which part is missing`() async throws {
        let source = try source("{page}", "{by: page}")
        let api = AnsweringAPI(["https://api.example.org/1": #"{"error":"no"}"#])
        await #expect(
            throws: Failure.unavailable(
                reason: "shop answered without a list: $ has no “items”: it is an object with "
                    + "“error”.")
        ) { try await source.page(source.query(list: "all", parameters: [:]), api: api) }
    }
}
