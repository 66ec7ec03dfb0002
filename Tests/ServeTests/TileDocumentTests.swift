import Catalog
import Foundation
import Imaging
import JSON
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct TileDocumentTests {
    private func document(_ levels: [Level]) -> JSON {
        let entry = CatalogEntry(item: Item(source: "a", kind: "b", id: "1"), title: "x")
        return JSON.item(
            entry, nil, levels: levels, source: nil, address: ServiceAddress(ServerConfiguration()),
            now: .now, isFavorite: nil)
    }

    @Test func `a srcset has thumbnails of one shape, and every level has a link`() {
        let tile = Level(name: "tile", width: 100, height: 100, fit: .cover(.top))
        let mixed = document([tile, Level(name: "s", width: 160, height: 240)])
        let (set, links) = (mixed["srcset"].text, mixed["thumbnails"])
        #expect(set == "\"/t/s/a/b/1 160w\"")
        #expect(links["s"]["url"].text == "\"/t/s/a/b/1\"")
        #expect(links["tile"]["url"].text == "\"/t/tile/a/b/1\"")
        let wide = Level(name: "wide", width: 300, height: 100, fit: .cover(.top))
        let large = Level(name: "large", width: 200, height: 200, fit: .cover(.center))
        let square = document([tile, wide, large])["srcset"].text
        #expect(square == "\"/t/tile/a/b/1 100w, /t/large/a/b/1 200w\"")
    }
}
