import Catalog
import Imaging
import TestSupport
import Testing

@testable import App

/// What a reload takes from a file of settings, and what every mistake in one is.
@Suite(.timeLimit(.minutes(1))) struct ReloadedSettingsTests {
    @Test func `a reload takes what can change, and names the rest`() throws {
        let last = try loadedSettings(
            "levels: {m: 320x480}\nimaging: {jpegQuality: 80, threads: 1}\n",
            environment: ["VITRINE_URL_KEYS": "0123456789abcdef"])
        let fresh = try loadedSettings(
            """
            levels: {m: 300x400, n: 10x10}
            imaging: {jpegQuality: 30, threads: 2}
            folders: {pictures: /srv/pictures}
            lists: {posters: /srv/posters.csv}
            sources:
              shop:
                hosts: [a.example.org]
                kinds: {cover: {chain: [{url: "https://a.example.org/{id}.jpg"}]}}
            """, environment: ["VITRINE_URL_KEYS": "fedcba9876543210"])
        let changed = last.changes(to: fresh)
        #expect(
            changed.filter(\.isReloaded).map(\.path) == [
                "levels", "sources", "folders", "lists", "url.keys", "imaging.jpegQuality",
            ])
        #expect(changed.filter { !$0.isReloaded }.map(\.path) == ["imaging.threads"])
        let merged = last.reloaded(from: fresh)
        #expect(merged.changes(to: fresh).map(\.path) == ["imaging.threads"])
        #expect(merged.imaging.threads == 1)
        #expect(merged.levels.map(\.name) == ["n", "m"])
        #expect(merged.credentials.urlKeys.value == fresh.credentials.urlKeys.value)
        #expect(merged.sources.map(\.name) == ["shop"])
    }

    @Test(arguments: [
        ("url.keysFile", true), ("tmdb.tokenFile", true), ("admin.token", true),
        ("fetch.hostConcurrency", true), ("imaging.perLevel", true), ("placeholder.file", true),
        ("log.level", true), ("userData", true), ("server.publicURL", true),
        ("server.port", false), ("s3.accessKeyID", false), ("nats.passwordFile", false),
        ("cdn.purgeToken", false), ("cache.budget", false), ("log.format", false),
    ])
    func `a key says whether a reload applies it`(path: String, isReloaded: Bool) throws {
        #expect(try #require(ConfigurationKey.byPath[path]).isReloaded == isReloaded)
    }

    @Test func `every mistake is found at once, with file and line`() {
        let text = """
            server:
              port: many
              prot: 80
            levels: {m: large}
            imaging:
              perLevel: {xl.jpegQuality: 1}
            freshness:
              originalMin: 60d
              originalMax: 30d
            folders:
              Pictures: /srv/pictures
              posters: {title: x}
            lists: {posters: {title: x}}
            sources: {shop: {}}
            tmdb: {token: secret}
            """
        let file = ConfigurationFile(checking: text, path: "v.yaml")
        let found = SettingsLayers(
            environment: ["VITRINE_ADMIN_TOKEN": "short", "VITRINE_URL_KEYS": "short"], file: file
        ).check().problems.map(\.description)
        let beginnings = [
            "v.yaml:3: unknown key “server.prot”",
            "v.yaml:11: folders.Pictures is not a name of a folder",
            "v.yaml:12: folders.posters has no path",
            "v.yaml:13: lists.posters has no file",
            "v.yaml:14: sources.shop has no hosts",
            "v.yaml:15: tmdb.token is a secret",
            "v.yaml:4: levels is “m: large”",
            "v.yaml:2: server.port is “many”",
            "v.yaml:8: freshness.originalMin is 60d, which is more than freshness.originalMax (30d)",
            "url.keys has a key of 5 bytes", "admin.token has 5 bytes",
        ]
        #expect(found.count == beginnings.count, "\(found)")
        for (sentence, beginning) in zip(found, beginnings) {
            #expect(sentence.hasPrefix(beginning), "\(sentence)")
        }
    }
}
