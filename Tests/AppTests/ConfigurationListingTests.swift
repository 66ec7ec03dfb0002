import Foundation
import Testing

@testable import App

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
