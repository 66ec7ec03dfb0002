import Catalog
import TestSupport
import Testing

/// Recorded answers of the real API, trimmed to a few entries of each list.
@Suite(.timeLimit(.minutes(1))) struct TVMazeRecordingTests {
    let source = TVMaze()

    private func recording(_ name: String) throws -> String {
        try Recordings.text("tvmaze/\(name)")
    }

    @Test func `every show of the first page is read`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows?page=0": try recording("shows-page-0")
        ])
        let query = try source.query(list: "shows", parameters: [:])
        let page = try #require(try await source.page(query, api: api))
        #expect(page.items.count == 10)
        #expect(page.items.map(\.entry.item.id).compactMap { Int($0) }.max() == 249)
        #expect(
            page.items.allSatisfy {
                $0.orderedChain(for: PictureBox(width: 320, height: 0)).labels == "original medium"
            })
        #expect(page.items.allSatisfy { $0.entry.date != nil && $0.entry.link != nil })
        #expect(page.items.allSatisfy { $0.entry.summary?.contains("<") == false })
        #expect(page.items.first?.entry.title == "Under the Dome")
        #expect(page.items.first?.entry.subtitle == "CBS")
    }

    @Test func `the main poster is found among images of all kinds`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows/183/images": try recording("show-183-images")
        ])
        let details = try await source.details(
            of: source.item(kind: "poster", id: "183"), api: api)
        #expect(details.chain.labels == "main poster (original) main poster (medium) >")
    }

    @Test func `a poster has its show's own facts where all are wanted`() async throws {
        let images = try recording("show-183-images")
        let show = #"{"id":183,"name":"Dome","premiered":"2013-06-24","genres":["Drama"]}"#
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows/183/images": images,
            "https://api.tvmaze.com/shows/183": show,
        ])
        let item = try source.item(kind: "poster", id: "183")
        #expect(try await source.details(of: item, api: api).isComplete == false)
        #expect(api.asked.count == 1)
        let details = try await source.completeDetails(of: item, api: api)
        #expect(details.isComplete)
        #expect(details.entry.item == item)
        #expect(details.entry.title == "Dome")
        #expect(details.entry.date == "2013-06-24")
        #expect(details.entry.genres == ["Drama"])
        #expect(details.chain.labels == "main poster (original) main poster (medium) >")
    }

    @Test func `hits without a picture have no chain`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/search/shows?q=snow": try recording("search-shows-image-null"),
            "https://api.tvmaze.com/search/shows?q=none": try recording("search-shows-empty"),
        ])
        let query = try source.query(list: "search", parameters: ["q": "snow"])
        let page = try #require(try await source.page(query, api: api))
        #expect(page.items.count == 4)
        #expect(page.items.contains { $0.chain.isEmpty })
        #expect(page.items.contains { $0.chain.count == 2 })
        let empty = try source.query(list: "search", parameters: ["q": "none"])
        #expect(try await source.page(empty, api: api)?.items.isEmpty == true)
    }
}
