import Catalog
import Folders
import Foundation
import HTTPTypes
import Hashing
import Pipeline
import PipelineSupport
import Serve
import Store
import TestSupport
import Testing

/// The page, as far as it can be tested without a browser. `make gallery` tests it in one.
@Suite(.timeLimit(.minutes(1))) struct GalleryTests {
    private func page(
        _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
    ) async throws -> Response {
        try await withHarness { await ask($0, "/?in=films", fields, method: method) }
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

    /// What the service tells the page, as JSON beside its script.
    private func given(_ text: String) throws -> [String: Any] {
        let given = try inner(
            "<script id=\"given\" type=\"application/json\">", "</script>", of: text)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(given.utf8)) as? [String: Any])
    }

    @Test func `the gallery page has the levels as JSON beside its script`() async throws {
        let given = try given(String(decoding: try await page().body, as: UTF8.self))
        let levels = try #require(given["levels"] as? [[String: Any]])
        #expect(levels.allSatisfy { $0["name"] is String && $0["width"] is Int })
    }

    /// The places of the page's template.
    @Test(arguments: ["{{script}}", "{{style}} {{given}} {{script}}", "a {{", "}} b"])
    func `a title that looks like a place of the page stays as it is`(title: String) async throws {
        let list = ListDefinition(name: "posters", title: title, place: "/nowhere/posters.csv")
        let text = try await withHarness(Harness(lists: [list])) { harness in
            String(decoding: await ask(harness, "/").body, as: UTF8.self)
        }
        let sources = try #require(try given(text)["sources"] as? [[String: Any]])
        #expect(sources.contains { $0["title"] as? String == title })
        for once in ["<script type=\"module\">", "<style>", "</html>"] {
            #expect(text.ranges(of: once).count == 1)
        }
    }

    @Test func `the gallery page is revalidated with 304`() async throws {
        let first = try await page()
        let tag = try #require(first.fields[.eTag])
        let again = try await page(.get, [.ifNoneMatch: tag])
        #expect(again.status == .notModified && again.body.isEmpty)
        #expect(again.fields[.contentSecurityPolicy] == first.fields[.contentSecurityPolicy])
        #expect(first.fields[.cacheControl] == "no-cache")
    }

    /// Name, source and its title, lists, search, credit, and what else a section has.
    private static let sections = [
        "shows tvmaze TVmaze 0.67 [tvmaze/shows all] [tvmaze/search q] "
            + "Data and pictures by [TVmaze https://www.tvmaze.com], CC BY-SA.",
        "films tmdb TMDB 0.67 [tmdb/movies/popular popular][tmdb/movies/top-rated topRated] "
            + "[tmdb/search q] This product uses the [TMDB https://www.themoviedb.org] API but is "
            + "not endorsed or certified by TMDB.",
        "artworks rijksmuseum Rijksmuseum 1.00 [rijksmuseum/objects all] "
            + "[rijksmuseum/objects title] From the collection of the "
            + "[Rijksmuseum https://www.rijksmuseum.nl]. rows languages",
        "albums itunes iTunes 1.00  [itunes/albums term] Covers courtesy of "
            + "[iTunes https://music.apple.com]. night,light,blue,gold,river",
        "artists spotify Spotify 1.00  [spotify/artists q] Pictures and data by "
            + "[Spotify https://open.spotify.com]. the,night,blue,club,river",
    ]

    private func line(_ section: [String: Any]) throws -> String {
        func list(_ name: String) -> [Any] { section[name] as? [Any] ?? [] }
        func text(_ part: Any) -> String {
            (part as? [String]).map { "[\($0.joined(separator: " "))]" } ?? part as? String ?? ""
        }
        let names = ["name", "source", "title"].map { section[$0] as? String ?? "" }
        let shape = try #require(section["shape"] as? Double)
        let line =
            names + [
                String(format: "%.2f", shape), list("browse").map(text).joined(),
                section["search"].map(text) ?? "", list("credit").map(text).joined(),
            ]
        let rest = [
            section["layout"] as? String, section["languages"] as? Bool == true ? "languages" : nil,
            section["suggestions"].flatMap { ($0 as? [String])?.joined(separator: ",") },
        ]
        return (line + rest.compactMap(\.self).filter { !$0.isEmpty }).joined(separator: " ")
    }

    @Test func `the gallery page has a section for each source, in its own order`() async throws {
        let given = try given(String(decoding: try await page().body, as: UTF8.self))
        let sections = try #require(given["sources"] as? [[String: Any]])
        #expect(try sections.map(line) == Self.sections)
        #expect(
            sections.map { $0["id"] as? String }
                == ["shows", "films", "artworks", "albums", "artists"])
    }

    /// With a folder, and without credentials for films and artists.
    @Test func `the operator's own sources come first, beside catalogs that can be asked`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let folders = [Folder(name: "pics", title: "My pictures", path: directory.path)]
        try await withHarness(Harness(folders: folders)) { harness async throws in
            try await harness.restart(withCredentials: false)
            let answer = await ask(harness, "/")
            let given = try given(String(decoding: answer.body, as: UTF8.self))
            let sections = try #require(given["sources"] as? [[String: Any]])
            #expect(
                sections.map { $0["id"] as? String }
                    == ["source-pics", "shows", "artworks", "albums"])
            // Photographs have all shapes.
            #expect(sections.first?["layout"] as? String == "rows")
            #expect((sections.first?["credit"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `the gallery page shows exactly the lists of the sources`() async throws {
        try await withHarness { harness async throws in
            let answer = await ask(harness, "/")
            let given = try given(String(decoding: answer.body, as: UTF8.self))
            let sections = try #require(given["sources"] as? [[String: Any]])
            var shown: Set<String> = []
            for section in sections {
                let browsed = (section["browse"] as? [[String]] ?? []).compactMap(\.first)
                shown.formUnion(browsed + (section["search"] as? [String] ?? []).prefix(1))
            }
            let lists = harness.pipeline.sources.all.flatMap { source in
                source.lists.map { "\(source.name)/\($0.name)" }.filter { !$0.contains("{id}") }
            }
            #expect(shown == Set(lists))
        }
    }
}
