import Foundation
import Testing

@testable import App
@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct ConfigurationKeyTests {
    /// 95, and those that say what a service offers and never shows: `sources.offered`, `server.offers`, `blocked`.
    @Test func `an operator reads at most 98 settings`() {
        #expect(ConfigurationKey.all.count { $0.shape != .secret } <= 98)
    }

    @Test(arguments: [
        ("fetch.totalTimeout", "VITRINE_FETCH_TOTAL_TIMEOUT"),
        ("levels", "VITRINE_LEVELS"),
        ("spotify.clientID", "VITRINE_SPOTIFY_CLIENT_ID"),
        ("spotify.clientIDFile", "VITRINE_SPOTIFY_CLIENT_ID_FILE"),
        ("spotify.clientSecret", "VITRINE_SPOTIFY_CLIENT_SECRET"),
        ("tmdb.token", "VITRINE_TMDB_TOKEN"),
        ("admin.token", "VITRINE_ADMIN_TOKEN"),
        ("url.keys", "VITRINE_URL_KEYS"),
        ("fetch.caFile", "VITRINE_FETCH_CA_FILE"),
    ])
    func `a key's environment variable is its path in capitals`(path: String, name: String) throws {
        #expect(try #require(ConfigurationKey.byPath[path]).environmentName == name)
    }

    @Test func `no two keys share an environment variable`() {
        let names = ConfigurationKey.all.map(\.environmentName)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: ConfigurationKey.all.filter { $0.shape != .secret }.map(\.path))
    func `a printed default parses to the same default`(path: String) throws {
        let key = try #require(ConfigurationKey.byPath[path])
        let texts = key.print(Settings())
        var settings = Settings()
        #expect(key.apply(texts, &settings) == nil)
        #expect(key.print(settings) == texts)
    }

    @Test(arguments: [
        ("imaging.webpQualty", "imaging.webpQuality"), ("imagin", "imaging"),
        ("server.prot", "server.port"), ("fetch.useragent", "fetch.userAgent"),
    ])
    func `a mistyped name finds the nearest known name`(typed: String, meant: String) {
        let names = ConfigurationKey.all.map(\.path) + ["imaging", "fetch"]
        #expect(NearestName.of(typed, among: names) == meant)
    }

    @Test(arguments: [("", "", 0), ("abc", "", 3), ("port", "prot", 1), ("kitten", "sitting", 3)])
    func `a swap of neighbors counts as one edit`(left: String, right: String, edits: Int) {
        #expect(NearestName.distance(left, right) == edits)
        #expect(NearestName.distance(right, left) == edits)
    }

    @Test func `an unrelated name has no nearest name`() {
        #expect(NearestName.of("zebra", among: ["serve", "warm", "thumb"]) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ConfigurationListingTests {
    private static let secrets = [
        "VITRINE_SPOTIFY_CLIENT_ID": "geheim-1", "VITRINE_SPOTIFY_CLIENT_SECRET": "geheim-2",
        "VITRINE_TMDB_TOKEN": "geheim-3", "VITRINE_ADMIN_TOKEN": "geheim-4-geheim-4",
        "VITRINE_URL_KEYS": "geheim-5-geheim-5",
        "VITRINE_FETCH_PROXY": "http://user:geheim-6@proxy:1",
    ]

    private func text(_ listing: ConfigurationListing) throws -> String {
        String(decoding: try JSONEncoder().encode(listing), as: UTF8.self)
    }

    @Test func `the configuration listing has a row per key with value and origin`() throws {
        let loaded = try SettingsLayers(environment: Self.secrets).load()
        let rows = ConfigurationListing(loaded).rows
        #expect(rows.count == ConfigurationKey.all.count)
        #expect(rows.contains(["server.port", "8080", "default"]))
        #expect(rows.contains(["tmdb.token", "(set)", "environment VITRINE_TMDB_TOKEN"]))
        #expect(
            rows.contains(["fetch.proxy", "http://***@proxy:1", "environment VITRINE_FETCH_PROXY"]))
        #expect(rows.contains(["fetch.connectTo", "[]", "default"]))
    }

    @Test func `no secret appears in the configuration listing`() throws {
        let loaded = try SettingsLayers(environment: Self.secrets).load()
        let listing = ConfigurationListing(loaded)
        var dumped = ""
        dump(loaded.settings.credentials, to: &dumped)
        for text in [
            "\(listing.rows)", try text(listing), "\(loaded.settings.credentials)", dumped,
        ] {
            #expect(!text.contains("geheim"))
        }
    }

    @Test func `the JSON listing has an object for every key`() throws {
        let loaded = try SettingsLayers(environment: Self.secrets).load()
        let json = try text(ConfigurationListing(loaded))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let rows = try #require((object as? [String: Any])?["settings"] as? [[String: Any]])
        #expect(rows.compactMap { $0["key"] as? String } == ConfigurationKey.all.map(\.path))
        let levels = try #require(rows.first { $0["key"] as? String == "levels" })
        #expect((levels["value"] as? [String])?.first == "xs=80x120")
    }
}
