import Catalog
import Foundation
import Pipeline
import Testing

@testable import App

@Suite struct ListSettingsTests {
    private func load(_ text: String) throws(ConfigurationError) -> Settings {
        try SettingsLayers(file: ConfigurationFile(path: "v.yaml", text: text)).load().settings
    }

    @Test func `a list is a path or a URL, or one with options`() throws {
        let settings = try load(
            """
            lists:
              posters: posters.csv
              shop:
                file: https://shop.example/feed.csv
                title: The shop
                urlColumn: image
                idColumn: 2
                titleColumn: name
                rights: The shop
                shape: 1:1
            """)
        let (posters, shop) = (settings.lists[0], settings.lists[1])
        let path = "\(FileManager.default.currentDirectoryPath)/posters.csv"
        #expect(posters == ListDefinition(name: "posters", title: "posters", place: path))
        #expect(shop.place == "https://shop.example/feed.csv" && shop.title == "The shop")
        #expect(shop.columns == ListColumns(url: "image", id: "2", title: "name"))
        #expect(shop.rights == "The shop" && shop.shape == PictureBox(width: 1, height: 1))
        #expect(Assembly.sources(settings).list("shop")?.browsedLists.map(\.name) == ["pictures"])
    }

    @Test(arguments: [
        ("lists: {Posters: a.csv}", "v.yaml:1: lists.Posters is not a name of a list;"),
        ("lists: {tmdb: a.csv}", "v.yaml:1: lists.tmdb has a name that is taken;"),
        ("lists: {posters: {title: x}}", "v.yaml:1: lists.posters has no file;"),
        ("lists: {posters: ftp://x/a.csv}", "v.yaml:1: lists.posters is not an http or https URL."),
        ("lists: {a: a.csv}\nfolders: {a: /x}", "a is the name of two sources, folders or lists;"),
    ])
    func `a mistake is named with its place`(text: String, beginning: String) {
        let error = #expect(throws: ConfigurationError.self) { try load(text) }
        #expect(error?.description.hasPrefix(beginning) == true, "\(String(describing: error))")
    }
}
