import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Serve

/// Pages and items are made once and sent many times, compressed.
@Suite(.timeLimit(.minutes(1))) struct PreparedDocumentsTests {
    private static let page = "/v1/tvmaze/shows?page=0"
    private static let favorite = "/v1/favorites/tvmaze/show/1"

    /// A list of forty shows, and one responder that remembers what it sent.
    private func withService(
        _ configuration: ServerConfiguration = .init(),
        _ body: @Sendable (Harness, Responder) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            for id in 1...40 { harness.serveShow(id) }
            let shows = (1...40).map { Harness.show($0) }.joined(separator: ",")
            harness.origin.on("/shows", host: Harness.apiHost, .json("[\(shows)]"))
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1000, seed: 1)))
            try await body(harness, Responder(harness.pipeline, configuration))
        }
    }

    private func ask(
        _ responder: Responder, _ target: String, _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get
    ) async -> Response {
        await responder.answer(
            Request(
                method: method, target: target, fields: fields, authority: "127.0.0.1:8080"))
    }

    /// Returns a member of the page's first item.
    private func first(_ member: String, _ answer: Response) throws -> Any? {
        let page = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let items = try #require(page?["items"] as? [[String: Any]])
        #expect(items.count == 40)
        return items[0][member]
    }

    /// Returns whether the page's first item is a favorite, or nil if it doesn't say so.
    private func isFavorite(_ answer: Response) throws -> Bool? {
        try first("favorite", answer) as? Bool
    }

    @Test func `each coding is another representation, and at most 30 % of the bytes`()
        async throws
    {
        try await withService { _, responder async throws in
            let plain = await ask(responder, Self.page)
            #expect(plain.status == .ok)
            #expect(plain.fields[.contentEncoding] == nil)
            #expect(plain.fields[.vary]?.contains("Accept-Encoding") == true)
            var tags = [try #require(plain.fields[.eTag])]
            for coding in ["gzip", "br"] {
                let answer = await ask(responder, Self.page, [.acceptEncoding: coding])
                #expect(answer.fields[.contentEncoding] == coding)
                #expect(answer.body.count * 10 <= plain.body.count * 3)
                #expect(answer.fields[.vary] == plain.fields[.vary])
                let tag = try #require(answer.fields[.eTag])
                #expect(!tags.contains(tag))
                tags.append(tag)
                let fields: HTTPFields = [.acceptEncoding: coding, .ifNoneMatch: tag]
                let known = await ask(responder, Self.page, fields)
                #expect(known.status == .notModified)
                #expect(known.fields[.eTag] == tag)
            }
            let other: HTTPFields = [.acceptEncoding: "gzip", .ifNoneMatch: tags[0]]
            #expect(await ask(responder, Self.page, other).status == .ok)
        }
    }

    @Test func `the gallery is compressed for its own pages and visitors, not for other sites`()
        async throws
    {
        try await withService { _, responder async throws in
            let own: [(HTTPField.Name, String)] = [
                (.acceptEncoding, "gzip"), (.referer, "https://127.0.0.1:8080/"),
            ]
            for (site, coding) in [
                ("same-origin", "gzip"), ("none", "gzip"), ("cross-site", nil), (nil, nil),
            ] {
                var fields = HTTPFields(own.map { HTTPField(name: $0, value: $1) })
                fields[.secFetchSite] = site
                let answer = await ask(responder, "/", fields)
                #expect(answer.status == .ok)
                #expect(answer.fields[.contentEncoding] == coding, "\(site ?? "no site")")
                // It is the only page.
                let list = await ask(responder, Self.page, fields)
                #expect(list.fields[.contentEncoding] == "gzip")
            }
        }
    }

    @Test func `a favorite shows at once, and only in private responses`() async throws {
        try await withService { _, responder async throws in
            let foreign: HTTPFields = [.origin: "https://example.org"]
            #expect(try await isFavorite(ask(responder, Self.page)) == false)
            #expect(try await isFavorite(ask(responder, Self.page, foreign)) == nil)
            let put = await ask(responder, Self.favorite, method: .put)
            #expect(put.status == .created)
            let added = await ask(responder, Self.page)
            #expect(try isFavorite(added) == true)
            #expect(added.fields[.cacheControl]?.hasPrefix("private") == true)
            let open = await ask(responder, Self.page, foreign)
            #expect(try isFavorite(open) == nil)
            #expect(open.fields[.cacheControl]?.hasPrefix("public") == true)
            let deleted = await ask(responder, Self.favorite, method: .delete)
            #expect(deleted.status == .noContent)
            #expect(try await isFavorite(ask(responder, Self.page)) == false)
        }
    }

    @Test func `languages and queries have documents of their own`() async throws {
        try await withService { _, responder async throws in
            let all = await ask(responder, Self.page)
            let some = await ask(responder, Self.page + "&lang=nl")
            #expect(all.status == .ok)
            #expect(some.status == .ok)
            let page = try JSONSerialization.jsonObject(with: Data(some.body)) as? [String: Any]
            let next = page?["next"] as? String
            #expect(next == nil || next?.contains("lang=nl") == true)
            #expect(await ask(responder, Self.page + "&lang=???").status == .badRequest)
        }
    }
}
