import Testing

@testable import DemoOrigin

@Suite struct PictureStoreTests {
    let catalogue = DemoCatalogueTests.catalogue

    private func name(_ show: DemoShow, _ size: PictureName.Size) -> PictureName {
        PictureName(show: show.id, slot: .mainPoster, size: size)
    }

    @Test func `requests at the same time share one drawing, for both sizes`() async throws {
        let store = PictureStore(artist: PosterArtist(seed: 1), maxBytes: 64 << 20)
        let show = catalogue.shows[0]
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for index in 0..<40 {
                let size = index.isMultiple(of: 2) ? PictureName.Size.original : .portrait
                group.addTask { try await store.file(name(show, size), of: show) }
            }
            let files = try await group.reduce(into: Set()) { $0.insert($1) }
            #expect(files.count == 2)
        }
        #expect(await store.drawings == 1)
    }

    @Test func `the bound drops what was not used for longest`() async throws {
        let shows = Array(catalogue.shows.prefix(3))
        var sizes: [Int] = []
        for show in shows {
            sizes.append(try PosterArtist(seed: 1).files(.mainPoster, of: show).count)
        }
        let room = sizes.reduce(0, +) - 1
        let store = PictureStore(artist: PosterArtist(seed: 1), maxBytes: room)
        for index in [0, 1, 0, 2, 0, 1] {
            _ = try await store.file(name(shows[index], .original), of: shows[index])
        }
        // 0, 1 and 2 were drawn once; 2 pushed out 1, which was then drawn again.
        #expect(await store.drawings == 4)
    }
}
