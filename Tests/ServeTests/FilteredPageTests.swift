import Foundation
import HTTPTypes
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Serve
import TestSupport
import Testing

/// Filters over the pages of a list.
@Suite(.timeLimit(.minutes(1))) struct FilteredPageTests {
    /// Twelve pages with one show each; the show of page N has the id 250 · N + 1.
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.origin.on("/shows", host: Harness.apiHost) { request in
            guard let page = request.field("page").flatMap({ Int($0) }), page < 12 else {
                return .json(TVMazeProblem.notFound.json.text, status: 404)
            }
            var show = TVMazeShow(id: 250 * page + 1)
            show.name = "Show of page \(page)"
            return .json("[\(show.json.text)]")
        }
        return harness
    }

    private struct Page: Decodable {
        struct Item: Decodable { var title: String }

        var items: [Item]
        var next: String?
        var totalOf: String
        var searchedPages: Int?
    }

    private func page(_ harness: Harness, _ target: String) async throws -> Page {
        let answer = await ask(harness, target)
        #expect(answer.status == .ok)
        return try JSONDecoder().decode(Page.self, from: Data(answer.body))
    }

    @Test func `a filter that matches nothing ends after five pages of the source, with a link`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let first = try await page(harness, "/v1/tvmaze/shows?title=nothing")
            #expect(first.items.isEmpty)
            #expect(first.searchedPages == 5)
            #expect(first.totalOf == "list")
            #expect(first.next == "/v1/tvmaze/shows?page=5&title=nothing")
            let second = try await page(harness, try #require(first.next))
            #expect(second.next == "/v1/tvmaze/shows?page=10&title=nothing")
            let last = try await page(harness, try #require(second.next))
            #expect(last.searchedPages == 3)
            #expect(last.next == nil)
        }
    }

    @Test func `a refused parameter names everything that a list accepts`() async throws {
        try await withHarness(harness()) { harness in
            let answer = await ask(harness, "/v1/tvmaze/shows?nope=1")
            #expect(answer.status == .badRequest)
            #expect(
                String(decoding: answer.body, as: UTF8.self).contains(
                    "TVmaze's list “shows” has no parameter “nope”; it knows “page”, “title”, "
                        + "“from”, “to”, “genre” and “lang”."))
        }
    }

    @Test func `a page with a match is answered at once, and the link continues after it`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let page = try await page(harness, "/v1/tvmaze/shows?title=page+3")
            #expect(page.items.map(\.title) == ["Show of page 3"])
            #expect(page.searchedPages == 4)
            #expect(page.next == "/v1/tvmaze/shows?page=4&title=page%203")
        }
    }

    @Test func `a page without filters is one page of the source`() async throws {
        try await withHarness(harness()) { harness in
            let page = try await page(harness, "/v1/tvmaze/shows")
            #expect(page.items.count == 1)
            #expect(page.searchedPages == nil)
            #expect(page.next == "/v1/tvmaze/shows?page=1")
        }
    }

    @Test func `a page that fails later is reported by the request for it`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/shows", host: Harness.apiHost) { request in
                request.query == "page=0" ? .json("[\(Harness.show(1))]") : .status(503)
            }
            let page = try await page(harness, "/v1/tvmaze/shows?title=nothing")
            #expect(page.items.isEmpty)
            #expect(page.searchedPages == 1)
            #expect(page.next == "/v1/tvmaze/shows?page=1&title=nothing")
        }
    }
}
