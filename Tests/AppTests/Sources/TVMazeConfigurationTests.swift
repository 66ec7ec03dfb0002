import Catalog
import Foundation
import TestSupport
import Testing

@testable import App

/// TVmaze as a configuration, beside the built-in source.
@Suite(.timeLimit(.minutes(1))) struct TVMazeConfigurationTests {
    private static let boxes = [80, 160, 210, 211, 320, 640, 1_280].map {
        PictureBox(width: $0, height: $0 * 3 / 2)
    }
    private let own = TVMaze()
    private let configured: ConfiguredSource

    init() throws {
        configured = try ConfiguredSource(yaml: Fixtures.answer("tvmaze.yaml"))
    }

    /// The details with the built-in source's name.
    private func renamed(_ details: ItemDetails) -> ItemDetails {
        var details = details
        details.entry.item.source = "tvmaze"
        details.chain = details.chain.map { step in
            guard case .item(var item) = step else { return step }
            item.source = "tvmaze"
            return .item(item)
        }
        // What the sources say about an item without a picture differs.
        details.absence = nil
        return details
    }

    private func expectSame(_ configured: ItemDetails, _ own: ItemDetails) {
        let configured = renamed(configured)
        #expect(configured.entry == own.entry)
        for box in Self.boxes {
            #expect(configured.orderedChain(for: box) == own.orderedChain(for: box))
        }
        #expect(configured.isResolved == own.isResolved)
    }

    @Test func `lists give the same items and chains, level by level`() async throws {
        let api = AnsweringAPI([
            "https://api.tvmaze.com/shows?page=0": try Fixtures.recording("tvmaze/shows-page-0"),
            "https://api.tvmaze.com/search/shows?q=snow": try Fixtures.recording(
                "tvmaze/search-shows-image-null"),
            "https://api.tvmaze.com/search/shows?q=none": try Fixtures.recording(
                "tvmaze/search-shows-empty"),
        ])
        for (list, parameters) in [
            ("shows", [:]), ("search", ["q": "snow"]), ("search", ["q": "none"]),
        ] as [(String, [String: String])] {
            let wanted = try #require(
                try await own.page(own.query(list: list, parameters: parameters), api: api))
            let found = try #require(
                try await configured.page(
                    configured.query(list: list, parameters: parameters), api: api))
            #expect(found.items.count == wanted.items.count)
            for (found, wanted) in zip(found.items, wanted.items) { expectSame(found, wanted) }
            #expect(found.next?.parameters == wanted.next?.parameters)
            #expect(found.firstIndex == wanted.firstIndex)
        }
    }

    @Test func `a poster has the same chain, level by level`() async throws {
        let images = try Fixtures.recording("tvmaze/show-183-images")
        let url = "https://api.tvmaze.com/shows/183/images"
        // Also without a main poster, without posters, and with the main one first.
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(images.utf8)) as? [[String: Any]])
        let posters = list.filter { $0["type"] as? String == "poster" }
        let main = posters.filter { $0["main"] as? Bool == true }
        let others = list.filter { $0["main"] as? Bool != true }
        #expect(main.count == 1 && others.count > 2)
        let cases = [
            list, others, main + others, others + main, list.filter { $0["type"] is NSNull },
        ]
        for images in cases {
            let text = String(
                decoding: try JSONSerialization.data(withJSONObject: images), as: UTF8.self)
            let api = AnsweringAPI([url: text])
            expectSame(
                try await configured.details(
                    of: configured.item(kind: "poster", id: "183"), api: api),
                try await own.details(of: own.item(kind: "poster", id: "183"), api: api))
        }
    }

    @Test(arguments: [
        #"{"id":1,"name":"A","image":{"medium":"http://static.tvmaze.com/m.jpg","original":null}}"#,
        #"{"id":1,"name":" ","image":null,"webChannel":{"name":"Web"},"premiered":"2013"}"#,
        #"{"id":1,"image":{"original":"https://evil.example/o.jpg","medium":7}}"#,
        #"{"id":1,"summary":"<p>One &amp; <b>two</b>.</p>","genres":["Drama",null,"War"]}"#,
    ])
    func `a show has the same details and chain`(show: String) async throws {
        let api = AnsweringAPI(["https://api.tvmaze.com/shows/1": show])
        expectSame(
            try await configured.details(of: configured.item(kind: "show", id: "001"), api: api),
            try await own.details(of: own.item(kind: "show", id: "1"), api: api))
    }

    @Test func `the end of a list and a missing show are the same`() async throws {
        let api = AnsweringAPI(
            [:],
            statuses: [
                "https://api.tvmaze.com/shows?page=9": 404, "https://api.tvmaze.com/shows/5": 404,
            ])
        let query = try configured.query(list: "shows", parameters: ["page": "9"])
        #expect(try await configured.page(query, api: api) == nil)
        await #expect(throws: Failure.notFound(reason: "TVmaze has no show 5.")) {
            try await configured.details(of: configured.item(kind: "show", id: "5"), api: api)
        }
        #expect(
            throws: Failure.invalid(
                reason: "An id of maze/show is a positive number of at most 18 digits, not “x”.")
        ) {
            try configured.item(kind: "show", id: "x")
        }
    }

    @Test func `a poster falls back on its show, and hosts have their profiles`() throws {
        let poster = try configured.item(kind: "poster", id: "7")
        #expect(
            configured.remainder(of: poster)
                == [.item(Item(source: "maze", kind: "show", id: "7"))])
        let own = TVMaze().hostPolicies
        let given = configured.hostPolicies
        #expect(given.map(\.pattern) == own.map(\.pattern))
        #expect(given.map(\.policy) == own.map(\.policy))
    }
}
