import Catalog
import Foundation
import Pipeline
import Serve
import TestSupport
import Testing

@testable import App

/// The settings that say what a service offers, and what it never shows.
@Suite(.timeLimit(.minutes(1))) struct OfferedSettingsTests {
    private static let builtIn = ["tvmaze", "rijksmuseum", "itunes", "spotify", "tmdb"]

    private func load(
        _ text: String, _ environment: [String: String] = [:]
    ) throws -> Settings {
        try SettingsLayers(
            environment: environment, file: try ConfigurationFile(path: "v.yaml", text: text)
        ).load().settings
    }

    @Test(
        arguments: [
            ("", [:], builtIn), ("sources: {}", [:], builtIn),
            ("lists: {posters: /srv/posters.csv}", [:], ["posters"]),
            ("folders: {pics: /srv/pics}\nlists: {posters: /srv/p.csv}", [:], ["pics", "posters"]),
            (
                "lists: {posters: /srv/p.csv}\nsources: {offered: [tvmaze, posters]}", [:],
                ["tvmaze", "posters"]
            ),
            ("sources:\n  offered: [itunes]", [:], ["itunes"]),
            ("sources:\n  offered: []", [:], builtIn),
            (
                "lists: {posters: /srv/p.csv}", ["VITRINE_SOURCES_OFFERED": "tvmaze, tmdb"],
                ["tvmaze", "tmdb"]
            ),
            (
                """
                sources:
                  covers:
                    hosts: [covers.example]
                    kinds: {cover: {chain: [{url: "https://covers.example/{id}.jpg"}]}}
                  offered: [covers]
                """, [:], ["covers"]
            ),
        ] as [(String, [String: String], [String])])
    func
        `clients may ask the sources that are named, else the operator's own, else the built-in ones`(
            text: String, environment: [String: String], names: [String]
        ) throws
    {
        let settings = try load(text, environment)
        #expect(settings.offeredNames == names)
        #expect(
            Assembly.sources(settings).offered.map(\.name)
                == Assembly.sources(settings).all
                .map(\.name).filter(names.contains))
        #expect(!settings.sources.contains { $0.name == "offered" })
    }

    @Test func `signed URLs are offered where keys are set`() throws {
        for (keys, isOffered) in [("", false), ("a key of sixteen bytes", true)] {
            let settings = try load("sources: {offered: [itunes]}", ["VITRINE_URL_KEYS": keys])
            #expect(Assembly.sources(settings).isOffered("url") == isOffered)
        }
    }

    @Test(arguments: [
        (
            "sources: {offered: [posters]}",
            "v.yaml:1: sources.offered names “posters”, which is not among the sources, folders and lists "
        ),
        (
            "sources: {offered: [url]}",
            "v.yaml:1: sources.offered names “url”, which is not a source; signed URLs are offered where"
        ),
        (
            "sources: {offered: {hosts: [a.example]}}",
            "v.yaml:1: sources.offered is a mapping; expected a list"
        ),
        (
            "server: {offers: [pictures]}",
            "v.yaml:1: server.offers is “pictures”; expected thumbnails"
        ),
    ])
    func `a name that is not one is a mistake of the settings`(text: String, sentence: String)
        throws
    {
        do {
            _ = try load(text)
            Issue.record("\(text) was accepted.")
        } catch let error as ConfigurationError {
            #expect(error.description.hasPrefix(sentence), "\(error)")
        }
    }

    @Test func `a reload takes the offered sources and the blocks, and not the routes`() {
        let paths = ConfigurationKey.all.filter(\.isReloaded).map(\.path)
        #expect(paths.contains("sources.offered") && paths.contains("blocked"))
        #expect(!paths.contains("server.offers"))
    }

    @Test func `nobody keeps favorites until the operator wants them`() throws {
        #expect(try load("").userDataAccess == .off)
        #expect(try load("userData: auto").userDataAccess == .automatic)
    }

    // MARK: - The file of blocks

    private static let digest = String(repeating: "0a", count: 32)

    private func read(_ text: String) throws -> (entries: [BlockEntry], problems: [String]) {
        let directory = try TemporaryDirectory()
        try directory.write(Array(text.utf8), to: "b.yaml")
        var problems: [ConfigurationError] = []
        let entries = BlockedFile.entries(directory.file("b.yaml"), &problems)
        return (
            entries, problems.map { $0.description.replacing(directory.path + "/", with: "") }
        )
    }

    @Test func `the file of blocks names items, URLs, beginnings and digests`() throws {
        let found = try read(
            """
            # kept in git
            - item: tvmaze/show/1
              reason: Court order 12/34
            - url: HTTPS://Example.org/1.jpg#x
            - prefix: posters/picture/acme-*
            - prefix: posters/picture/acne-
            - digest: \(Self.digest)
            """)
        #expect(found.problems.isEmpty)
        #expect(
            found.entries == [
                BlockEntry(text: "tvmaze/show/1", reason: "Court order 12/34"),
                BlockEntry(text: "https://example.org/1.jpg", reason: nil),
                BlockEntry(text: "posters/picture/acme-*", reason: nil),
                BlockEntry(text: "posters/picture/acne-*", reason: nil),
                BlockEntry(text: "sha256-\(Self.digest)", reason: nil),
            ])
        #expect(try read("").entries.isEmpty)
    }

    @Test(arguments: [
        ("- reason: x", "b.yaml:1: blocked[0] names nothing; expected one of"),
        (
            "- item: tvmaze/show/1\n  url: https://a.example/",
            "b.yaml:1: blocked[0] names several things"
        ),
        ("- item: tvmaze", "b.yaml:1: blocked[0].item is “tvmaze”; expected an item"),
        (
            "- url: ftp://a.example/",
            "b.yaml:1: blocked[0].url is “ftp://a.example/”; expected an http"
        ),
        ("- digest: 12", "b.yaml:1: blocked[0].digest is “12”; expected sha256-"),
        ("- prefix: tvmaze*", "b.yaml:1: blocked[0].prefix is “tvmaze*”; expected the beginning"),
        ("item: tvmaze/show/1", "b.yaml:1: blocked is a mapping; expected a list."),
        ("- items: x", "b.yaml:1: blocked[0] has no key “items”; did you mean “item”?"),
    ])
    func `a mistake in the file of blocks is told with its line`(text: String, sentence: String)
        throws
    {
        let found = try read(text)
        #expect(found.problems.first?.hasPrefix(sentence) == true, "\(found.problems)")
    }

    @Test func `a file of blocks that is missing is a mistake of the settings`() throws {
        do {
            _ = try load("blocked: /nowhere/b.yaml")
            Issue.record("It was accepted.")
        } catch let error as ConfigurationError {
            #expect(error.description.contains("/nowhere/b.yaml"))
        }
    }
}
