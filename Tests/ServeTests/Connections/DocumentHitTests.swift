import Foundation
import HTTP
import HTTPTypes
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// The gallery, the description, and catalog pages and items that are repeated.
@Suite(.timeLimit(.minutes(1))) struct DocumentHitTests {
    private static let item = "/v1/tvmaze/show/1"
    private static let page = "/v1/tvmaze/shows?page=0"
    private static let search = "/v1/tvmaze/search?q=girls"
    private static let gzip = "Accept-Encoding: gzip\r\n"
    private static let all = ["/", "/openapi.json", item, page]

    private func withServer(
        _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (Harness, RunningServer) async throws -> Void
    ) async throws {
        let open: (inout ServerConfiguration) -> Void = { configuration in
            configuration.userData = .open
            adjust(&configuration)
        }
        try await RunningServer.with(Self.harness(), open, body)
    }

    private static func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        let show = Harness.show(1, medium: nil, original: "")
        harness.origin.on("/shows", host: Harness.apiHost, .json("[\(show)]"))
        harness.origin.on(
            "/search/shows", host: Harness.apiHost, .json("[{\"score\":1,\"show\":\(show)}]"))
        return harness
    }

    @Test func `a document for a long head is not kept`() async throws {
        try await withServer { _, running in
            let foreign = "Origin: https://a.example\r\n"
            _ = try await ask(running, Self.item, foreign)
            for (count, isFast) in [(1_900, true), (2_048, false)] {
                let long = String(repeating: "a", count: count)
                let origin = "Origin: https://\(long)\r\n"
                #expect(try await ask(running, Self.item, origin).isFast == isFast)
                let agent = "User-Agent: \(long)\r\n"
                #expect(try await ask(running, Self.item, foreign + agent).isFast)
            }
        }
    }

    @Test(arguments: [
        "/?%", "/openapi.json?%", "/v1/none/shows", "/v1/tvmaze/show/x", "/v1/status",
    ])
    func `refusals and documents that are made for each request are not repeated`(path: String)
        async throws
    {
        try await withServer { _, running in
            for _ in 0..<3 {
                let answer = try await ask(running, path)
                #expect(!answer.isFast)
            }
        }
    }

    @Test func `a favorite shows at once`() async throws {
        try await withServer { harness, running in
            for path in [Self.item, Self.page] { _ = try await ask(running, path) }
            for isFavorite in [true, false, true] {
                for path in [Self.item, Self.page] {
                    #expect(try await ask(running, path).isFast)
                }
                if isFavorite {
                    _ = try await harness.pipeline.userData.addFavorite(harness.item(1))
                } else {
                    _ = try await harness.pipeline.userData.removeFavorite(harness.item(1))
                }
                for path in [Self.item, Self.page] {
                    let answer = try await ask(running, path)
                    #expect(!answer.isFast)
                    let text = String(decoding: answer.answer.body, as: UTF8.self)
                    #expect(text.contains("\"favorite\":\(isFavorite)"))
                }
            }
        }
    }

    @Test func `who may not see favorites gets a document without them`() async throws {
        try await withServer { _, running in
            func text(_ fields: String) async throws -> String {
                _ = try await ask(running, Self.item, fields)
                let answer = try await ask(running, Self.item, fields)
                #expect(answer.isFast)
                return String(decoding: answer.answer.body, as: UTF8.self)
            }
            for (fields, hasFavorite) in [
                ("", true), ("Origin: https://a.example\r\n", false), ("", true),
            ] {
                let body = try await text(fields)
                #expect(body.contains("favorite") == hasFavorite, "\(fields)")
            }
        }
    }

    @Test func `each search is added to the history`() async throws {
        try await withServer { harness, running in
            for round in 0..<3 {
                #expect(try await !ask(running, Self.search).isFast)
                #expect(try await harness.pipeline.userData.searches().count == 1, "\(round)")
                try await harness.pipeline.userData.removeSearches()
            }
            // A client without a history repeats it.
            let foreign = "Origin: https://a.example\r\n"
            _ = try await ask(running, Self.search, foreign)
            #expect(try await ask(running, Self.search, foreign).isFast)
        }
    }

    @Test func `after a purge a page is fetched again`() async throws {
        try await withServer { harness, running in
            _ = try await ask(running, Self.page)
            #expect(try await ask(running, Self.page).isFast)
            func fetched() -> Int {
                harness.origin.log.requests.filter { $0.query == "page=0" }.count
            }
            let before = fetched()
            _ = try await harness.pipeline.purge.run(.all)
            #expect(try await !ask(running, Self.page).isFast)
            #expect(fetched() == before + 1)
        }
    }

    @Test(arguments: ["", gzip])
    func `a document is renewed in the background, and not repeated for over a second`(
        coding: String
    ) async throws {
        try await withServer { harness, running in
            let old = try await ask(running, Self.item, coding).answer
            _ = try await harness.picture(1, "m", .webp)
            #expect(try await ask(running, Self.item, coding).answer.body == old.body)
            harness.clock.advance(by: 0.6)
            var next = try await ask(running, Self.item, coding)
            #expect(next.answer.body == old.body)
            // Its successor shows without the second being over, and no client waits for it.
            while next.answer.body == old.body {
                #expect(next.isFast)
                next = try await ask(running, Self.item, coding)
                try Task.checkCancellation()
            }
            #expect(next.isFast)
            let text = String(decoding: next.answer.body, as: UTF8.self)
            #expect(!coding.isEmpty || text.contains("thumbhash"))
            harness.clock.advance(by: 2)
            #expect(try await !ask(running, Self.item, coding).isFast)
            #expect(try await ask(running, Self.item, coding).isFast)
        }
    }

    @Test func `a head is read like any other request's`() throws {
        let head =
            "\r\nHEAD /v1/a?b HTTP/1.1\r\nHost: \t a:80 \r\nAccept-Encoding:gzip , br\t\r\n"
            + "Cookie: a\r\ncookie: b\r\nDNT:\r\n\r\n"
        let request = try #require(
            Request(head: RequestHead(Array(head.utf8))))
        #expect(request.method == .head && request.target == "/v1/a?b")
        #expect(request.authority == "a:80")
        #expect(request.fields[.acceptEncoding] == "gzip , br")
        #expect(request.fields[values: .cookie] == ["a", "b"])
        #expect(request.fields.count == 4)
    }
}
