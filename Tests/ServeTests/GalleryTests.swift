import Catalog
import Foundation
import HTTPTypes
import Hashing
import Pipeline
import PipelineSupport
import Serve
import Store
import Testing

/// The page, as far as it can be tested without a browser. `make gallery` tests it in one.
@Suite(.timeLimit(.minutes(1))) struct GalleryTests {
    private func page(
        _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
    ) async throws -> Response {
        let harness = try await Harness()
        let answer = await Responder(harness.pipeline, .init())
            .answer(Request(method: method, target: "/?in=films", fields: fields))
        try await harness.close()
        return answer
    }

    /// The text between the tags.
    private func inner(_ tag: String, _ end: String, of text: String) throws -> String {
        let start = try #require(text.range(of: tag)).upperBound
        let stop = try #require(text.range(of: end, range: start..<text.endIndex)).lowerBound
        return String(text[start..<stop])
    }

    @Test func `the gallery page runs only its own script and style`() async throws {
        let answer = try await page()
        #expect(answer.status == .ok)
        #expect(answer.fields[.contentType] == "text/html; charset=utf-8")
        let text = String(decoding: answer.body, as: UTF8.self)
        let policy = try #require(answer.fields[.contentSecurityPolicy])
        for (name, tag, end) in [
            ("script-src", "<script type=\"module\">", "</script>"),
            ("style-src", "<style>", "</style>"),
        ] {
            let part = Array(try inner(tag, end, of: text).utf8)
            #expect(part.count > 1_000)
            let hash = Data(Digest(of: part).bytes).base64EncodedString()
            #expect(policy.contains("\(name) 'sha256-\(hash)';"))
        }
        #expect(
            policy.hasPrefix("default-src 'none';") && policy.contains("frame-ancestors 'none'"))
        #expect(answer.fields[.xContentTypeOptions] == "nosniff")
        // The policy would stop it, and the page would be broken.
        let markup = text.replacing(
            try inner("<script type=\"module\">", "</script>", of: text), with: "")
        #expect(markup.firstMatch(of: /<[^>]*\s(on\w+|style)=/) == nil)
        #expect(text.firstMatch(of: /innerHTML|document\.write|insertAdjacentHTML/) == nil)
        #expect(markup.firstMatch(of: /(src|href)="(https?:)?\/\//) == nil)
    }

    @Test func `the gallery page has the levels as JSON beside its script`() async throws {
        let text = String(decoding: try await page().body, as: UTF8.self)
        let given = try inner(
            "<script id=\"given\" type=\"application/json\">", "</script>", of: text)
        let read = try JSONSerialization.jsonObject(with: Data(given.utf8)) as? [String: Any]
        let levels = try #require(read?["levels"] as? [[String: Any]])
        #expect(read?["sources"] is [Any])
        #expect(levels.allSatisfy { $0["name"] is String && $0["width"] is Int })
    }

    @Test func `the gallery page is revalidated with 304`() async throws {
        let first = try await page()
        let tag = try #require(first.fields[.eTag])
        let again = try await page(.get, [.ifNoneMatch: tag])
        #expect(again.status == .notModified && again.body.isEmpty)
        #expect(again.fields[.contentSecurityPolicy] == first.fields[.contentSecurityPolicy])
        #expect(first.fields[.cacheControl] == "no-cache")
    }

    @Test func `the gallery page shows exactly the lists of the sources`() async throws {
        try await withHarness { harness async throws in
            let answer = await Responder(harness.pipeline, .init())
                .answer(Request(method: .get, target: "/", fields: [:]))
            let text = String(decoding: answer.body, as: UTF8.self)
            for source in harness.pipeline.sources.all {
                let lists = source.lists.map { "\(source.name)/\($0.name)" }
                    .filter { !$0.contains("{id}") }
                let shown = Set(
                    text.matches(of: /\["(\w+\/[a-z\/-]+)", "/).map { String($0.1) }
                        .filter { $0.hasPrefix("\(source.name)/") })
                #expect(shown == Set(lists))
            }
        }
    }
}
