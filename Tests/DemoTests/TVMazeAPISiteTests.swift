import Catalog
import PlayedAPIs
import Testing

@testable import Demo

/// The demo is read by the product's own reader of TVmaze.
@Suite(.timeLimit(.minutes(1))) struct TVMazeAPISiteTests {
    let site = TVMazeAPISite(catalog: ShowCatalogTests.catalog)
    let source = TVMaze()

    private func page(_ list: String, _ parameters: [String: String]) async throws -> CatalogPage? {
        try await source.page(
            source.query(list: list, parameters: parameters), api: PlayedAPI(sites: [site]))
    }

    private func details(_ kind: String, _ id: Int) async throws -> ItemDetails {
        try await source.details(
            of: source.item(kind: kind, id: String(id)), api: PlayedAPI(sites: [site]))
    }

    @Test func `the reader finds every show of every page, and the end`() async throws {
        var read: [ItemDetails] = []
        var number = 0
        while let page = try await page("shows", ["page": String(number)]) {
            read += page.items
            number += 1
        }
        #expect(number == 2)
        let shows = site.catalog.shows
        #expect(read.map(\.entry.item.id) == shows.map { String($0.id) })
        #expect(read.map(\.entry.title) == shows.map(\.name))
        #expect(read.map(\.entry.genres) == shows.map(\.genres))
        #expect(read.map(\.entry.date) == shows.map(\.premiered))
        #expect(read.allSatisfy { $0.entry.subtitle != nil && $0.entry.link != nil })
        #expect(read.allSatisfy { $0.entry.summary?.contains("<") != true })
    }

    @Test func `the reader sees the quirk of a show`() async throws {
        for show in site.catalog.shows {
            let chain = try await details("show", show.id).chain
            let expected =
                switch show.quirk {
                case .noPicture: 0
                case .mediumNull, .mediumMissing: 1
                case .originalCut, .originalHTML, .mediumGone, nil: 2
                }
            #expect(chain.count == expected, "show \(show.id)")
        }
    }

    @Test func `posters have a main one, often not as the first image`() async throws {
        var first = 0
        for show in site.catalog.shows {
            let chain = try await details("poster", show.id).chain
            #expect(chain.last == .item(Item(source: "tvmaze", kind: "show", id: "\(show.id)")))
            guard show.quirk != .noPicture else {
                #expect(chain.count == 1)
                continue
            }
            guard case .candidate(let main) = chain[0] else { continue }
            #expect(main.label == "main poster (original)")
            #expect(main.width == 680 && main.height == 1_000)
            #expect(main.url.hasSuffix("/\(show.id * 10).jpg"))
            if chain.count > 3 { first += 1 }
        }
        #expect(first > 20)
    }

    @Test func `an unknown show answers as TVmaze does`() {
        for path in ["/shows/99999", "/shows/99999/images", "/shows/x", "/nothing", "/"] {
            let answer = site.answer(DemoRequest(path: path))
            #expect(answer.status == 404)
            #expect(
                String(decoding: answer.body, as: UTF8.self)
                    == #"{"name":"Not Found","message":"","code":0,"status":404}"#)
        }
    }

    @Test(arguments: ["99", "-1", "x", ""])
    func `a page past the end, or none at all, is a 404`(page: String) {
        let answer = site.answer(DemoRequest(path: "/shows", query: ["page": page]))
        #expect(answer.status == 404)
    }

    @Test func `answers may be kept for an hour`() {
        let answer = site.answer(DemoRequest(path: "/shows/1"))
        #expect(answer.fields["Cache-Control"] == "public, max-age=3600")
        #expect(answer.contentType == "application/json; charset=UTF-8")
    }

    @Test func `a search finds a title by all of its words, the best first`() async throws {
        let show = site.catalog.shows[4]
        let hits = try #require(try await page("search", ["q": show.name.uppercased()]))
        #expect(hits.items.first?.entry.title == show.name)
        let many = try #require(try await page("search", ["q": "the"]))
        #expect(many.items.count == 10)
        let none = try #require(try await page("search", ["q": "zzzz"]))
        #expect(none.items.isEmpty)
    }

    @Test func `a search without a term is a bad request`() {
        #expect(site.answer(DemoRequest(path: "/search/shows")).status == 400)
    }
}
