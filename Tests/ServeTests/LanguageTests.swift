import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Titles in the requested language, over a whole pipeline.
@Suite(.timeLimit(.minutes(1))) struct LanguageTests {
    /// Favorites are only for clients of this machine.
    private let client = UserDataClient()

    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveMuseum()
        harness.serveShow(1)
        harness.serveMuseumPages([
            "": (
                [1, 10],
                "https://data.rijksmuseum.nl/search/collection?title=wacht&pageToken=a%2Bb%3D"
            ),
            "a%2Bb%3D": ([11], nil),
        ])
        return harness
    }

    private func titles(_ answer: Response) throws -> [String] {
        let items = try #require(try json(answer)["items"] as? [[String: Any]])
        return items.compactMap { $0["title"] as? String }
    }

    @Test func `an item's title is in the wanted language`() async throws {
        try await withHarness(harness()) { harness in
            for (query, field, title, language) in [
                ("", nil, "Watch 1", "en"), ("", "nl", "Wacht 1", "nl"),
                ("?lang=nl", "en", "Wacht 1", "nl"), ("?lang=en", "nl", "Watch 1", "en"),
                ("", "fr, nl;q=0.5", "Wacht 1", "nl"), ("?lang=fr", "nl", "Watch 1", "en"),
                ("?lang=", "nl", "Wacht 1", "nl"),
            ] as [(String, String?, String, String)] {
                var fields: HTTPFields = [:]
                fields[.acceptLanguage] = field
                let answer = await ask(harness, "/v1/rijksmuseum/object/1\(query)", fields)
                #expect(answer.status == .ok)
                let item = try json(answer)
                #expect(item["title"] as? String == title, "\(query) \(field ?? "")")
                #expect(item["language"] as? String == language)
                #expect(item["objectNumber"] as? String == "SK-1")
                #expect(
                    item["rights"] as? String
                        == "https://creativecommons.org/publicdomain/mark/1.0/")
                #expect(answer.fields[.contentLanguage] == language)
                #expect(answer.fields[.vary]?.contains("Accept-Language") == true)
            }
        }
    }

    @Test func `a list and its next page are in the wanted language`() async throws {
        try await withHarness(harness()) { harness in
            let first = await ask(harness, "/v1/rijksmuseum/objects?title=wacht&lang=nl")
            #expect(try titles(first) == ["Wacht 1", "Wacht 10"])
            #expect(first.fields[.contentLanguage] == "nl")
            #expect(first.fields[.vary]?.contains("Accept-Language") == true)
            let next = try #require(try json(first)["next"] as? String)
            #expect(next == "/v1/rijksmuseum/objects?lang=nl&pageToken=a%2Bb%3D&title=wacht")
            #expect(try titles(await ask(harness, next)) == ["Wacht 11"])
            let plain = await ask(harness, "/v1/rijksmuseum/objects?title=wacht")
            #expect(
                try json(plain)["next"] as? String
                    == "/v1/rijksmuseum/objects?pageToken=a%2Bb%3D&title=wacht")
        }
    }

    @Test func `the entity tag differs by language`() async throws {
        try await withHarness(harness()) { harness in
            let english = await ask(harness, "/v1/rijksmuseum/object/1")
            let tag = try #require(english.fields[.eTag])
            let again = await ask(harness, "/v1/rijksmuseum/object/1", [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(again.fields[.vary]?.contains("Accept-Language") == true)
            let dutch = await ask(
                harness, "/v1/rijksmuseum/object/1", [.ifNoneMatch: tag, .acceptLanguage: "nl"])
            #expect(dutch.status == .ok)
        }
    }

    @Test func `title searches in the museum and filters in other sources`() async throws {
        try await withHarness(harness()) { harness async throws in
            // No title has the word, but the museum's own search returns the item.
            let searched = await ask(harness, "/v1/rijksmuseum/objects?title=etching")
            #expect(try titles(searched) == ["Watch 1", "Watch 10"])
            #expect(harness.origin.log.requests.contains { $0.field("title") == "etching" })
            harness.origin.on("/shows", .json("[\(Harness.show(1)),\(Harness.show(2))]"))
            let filtered = await ask(harness, "/v1/tvmaze/shows?title=show%202")
            #expect(try titles(filtered) == ["Show 2"])
            // Other filters work on the museum's list as on any other, in the language shown.
            let dated = await ask(harness, "/v1/rijksmuseum/objects?title=etching&from=1600")
            #expect(try titles(dated) == [])
        }
    }

    @Test func `a source without languages has no language fields`() async throws {
        try await withHarness(harness()) { harness async throws in
            let answer = await ask(harness, "/v1/tvmaze/show/1?lang=nl")
            #expect(try json(answer)["title"] as? String == "Show 1")
            #expect(try json(answer)["language"] is NSNull)
            #expect(answer.fields[.contentLanguage] == nil)
        }
    }

    @Test func `an invalid language is a bad request`() async throws {
        try await withHarness(harness()) { harness async throws in
            for (target, sentence) in [
                ("/v1/rijksmuseum/object/1?lang=dutch", "nl, en or en-GB, not “dutch”."),
                ("/v1/rijksmuseum/objects?lang=n", "nl, en or en-GB, not “n”."),
                ("/v1/tvmaze/show/1?lang=nl,en", "nl, en or en-GB, not “nl,en”."),
                ("/v1/favorites?lang=*", "nl, en or en-GB, not “*”."),
                ("/v1/tvmaze/show/1?lang=nl&lang=en", "The parameter “lang” is given twice."),
            ] {
                let answer = await client.ask(harness, target)
                #expect(answer.status == .badRequest)
                #expect(
                    (try json(answer)["detail"] as? String)?.hasSuffix(sentence) == true,
                    "\(target)")
            }
        }
    }

    @Test func `favorites are in the wanted language`() async throws {
        try await withHarness(harness()) { harness in
            _ = await client.ask(harness, "/v1/favorites/rijksmuseum/object/1", method: .put)
            // Its details are fetched in the background.
            try await eventually {
                try await titles(client.ask(harness, "/v1/favorites?lang=nl")) == ["Wacht 1"]
            }
            let all = await client.ask(harness, "/v1/favorites?lang=nl")
            #expect(try titles(all) == ["Wacht 1"])
            #expect(all.fields[.contentLanguage] == "nl")
            let one = await client.ask(
                harness, "/v1/favorites/rijksmuseum/object/1", [.acceptLanguage: "nl"])
            #expect(try json(one)["title"] as? String == "Wacht 1")
            #expect(one.fields[.vary]?.contains("Accept-Language") == true)
        }
    }
}
