import Catalog
import Folders
import Foundation
import Imaging
import Pipeline
import TestSupport
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct FolderReaderTests {
    @Test func `a folder is a path, or a path with options`() throws {
        let settings = try loadedSettings(
            """
            folders:
              pictures: /srv/pictures/
              archive: {path: old/./scans, title: Archive, hidden: true, links: true, recheck: 5s}
            """)
        #expect(settings.folders.count == 2)
        let (one, other) = (settings.folders[0], settings.folders[1])
        #expect(one == Folder(name: "pictures", title: "pictures", path: "/srv/pictures"))
        #expect(other.path == "\(FileManager.default.currentDirectoryPath)/old/scans")
        #expect(other.title == "Archive" && other.showsHidden && other.followsLinks)
        #expect(other.recheck == 5)
        #expect(Assembly.sources(settings).folder("archive")?.title == "Archive")
    }

    @Test(arguments: [
        (
            "folders:\n  Pics: /x\n",
            "v.yaml:2: folders.Pics is not a name of a folder; use up to 32 letters a-z, digits and "
                + "hyphens."
        ),
        (
            "folders:\n  tmdb: /x\n",
            "v.yaml:2: folders.tmdb has a name that is taken; choose another than “tmdb”."
        ),
        (
            "folders:\n  pics: {title: Pics}\n",
            "v.yaml:2: folders.pics has no path; name the directory."
        ),
        (
            "folders:\n  pics: {path: /x, follow: true}\n",
            "v.yaml:2: folders.pics has no key “follow”; it has path, title, hidden, links and "
                + "recheck."
        ),
        (
            "folders:\n  pics: {path: /x, links: maybe}\n",
            "v.yaml:2: folders.pics.links is “maybe”; expected true or false."
        ),
        (
            "folders:\n  pics: /x\nsources:\n  pics: {hosts: [a.example.org], kinds: {k: {chain: "
                + "[{url: \"https://a.example.org/{id}\"}]}}}\n",
            "pics is the name of two sources, folders or lists; rename one."
        ),
        (
            "cache:\n  directory: /x/y/../cache\nfolders:\n  pics: /x\n",
            "v.yaml:2: cache.directory is inside of the folder pics (/x), which would show what the "
                + "cache stores; move one of them."
        ),
    ])
    func `a mistake is one sentence`(text: String, sentence: String) {
        #expect(complaint(text) == sentence)
    }

    @Test func `a level is one line or a mapping`() throws {
        let settings = try loadedSettings(
            "levels:\n  a: 10x20\n  b: 30x30 cover top\n  c: {box: 40x40, fit: cover, gravity: entropy}\n"
        )
        #expect(
            settings.levels == [
                Level(name: "a", width: 10, height: 20),
                Level(name: "b", width: 30, height: 30, fit: .cover(.top)),
                Level(name: "c", width: 40, height: 40, fit: .cover(.entropy)),
            ])
        #expect(
            complaint("levels:\n  c: {box: 40x40, crop: top}\n")
                == "v.yaml:2: levels.c is written as 320x480, or with the keys box, fit and gravity."
        )
    }
}

@Suite struct ListSettingsTests {
    @Test func `a list is a path or a URL, or one with options`() throws {
        let settings = try loadedSettings(
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
        (
            "lists: {posters: ftp://x/a.csv}",
            "v.yaml:1: lists.posters is not an absolute http or https"
        ),
        ("lists: {a: a.csv}\nfolders: {a: /x}", "a is the name of two sources, folders or lists;"),
    ])
    func `a mistake is named with its place`(text: String, beginning: String) {
        let error = #expect(throws: ConfigurationError.self) { try loadedSettings(text) }
        #expect(error?.description.hasPrefix(beginning) == true, "\(String(describing: error))")
    }
}
