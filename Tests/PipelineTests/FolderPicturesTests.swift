import Catalog
import Folders
import Foundation
import Hashing
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

/// Pictures of a folder, through the whole pipeline.
@Suite(.timeLimit(.minutes(1))) struct FolderPicturesTests {
    private struct Scene {
        let directory: TemporaryDirectory
        let harness: Harness

        init(
            imaging: ImagingConfiguration = .patient,
            configure: (inout PipelineConfiguration) -> Void = { _ in }
        ) async throws {
            directory = try TemporaryDirectory()
            try FileManager.default.createDirectory(
                atPath: directory.file("pics/a"), withIntermediateDirectories: true)
            harness = try await Harness(
                imaging: imaging,
                folders: [Folder(name: "pics", title: "Pictures", path: directory.file("pics"))],
                configure: configure)
        }

        func write(_ name: String, _ bytes: [UInt8]) throws {
            try directory.write(bytes, to: "pics/\(name)")
        }

        /// As programs that write whole files do.
        func replace(_ name: String, _ bytes: [UInt8]) throws {
            try directory.write(bytes, to: "new")
            #expect(rename(directory.file("new"), directory.file("pics/\(name)")) == 0)
        }

        /// Returns when the service would notice a change of a file by its times.
        func settle(_ name: String) async throws {
            try await changesShow(of: directory.file("pics/\(name)"))
        }

        func item(_ name: String) -> Item { Item(source: "pics", kind: "file", id: name) }

        func picture(_ name: String, _ level: String = "m") async throws -> PictureAnswer {
            let answer = try await harness.pipeline.pictures.picture(
                of: item(name), level: try harness.pipeline.level(level), format: .jpeg)
            await harness.pipeline.pictures.settled { $0.source == "pics" }
            return answer
        }

        /// Waits until the service knows that a file has changed.
        func noticed(_ name: String) async {
            let pictures = harness.pipeline.pictures
            await eventually { !pictures.mayKeep(item(name)) }
        }
    }

    /// Quick renders have a quarter of the memory: enough for the only level, and too little for a pyramid.
    private static func narrow() async throws -> Scene {
        let level = Level(name: "s", width: 160, height: 240)
        var imaging = ImagingConfiguration.patient
        imaging.memory = 8 << 20
        imaging.levels = [level]
        return try await Scene(imaging: imaging) { $0.levels = [level] }
    }

    private static let first = FixtureImages.jpeg(width: 600, height: 400, seed: 1)
    private static let second = FixtureImages.jpeg(width: 400, height: 600, seed: 2)

    @Test func `a file that is too large for a pyramid has one once it was replaced`() async throws
    {
        let scene = try await Self.narrow()
        try await withHarness(scene.harness) { harness async throws in
            let (item, zoom) = (scene.item("a/1.jpg"), harness.pipeline.zoom)
            let tile = ZoomRequest(
                x: 0, y: 0, width: 512, height: 400, outWidth: 512, outHeight: 400)
            try scene.write("a/1.jpg", try Canvas(width: 4000, height: 3000).encodeJPEG())
            try await scene.settle("a/1.jpg")
            for _ in 0..<2 {
                await #expect(throws: Failure.self) {
                    _ = try await zoom.part(of: item, tile, ZoomSize(width: 4000, height: 3000))
                }
            }
            // The second request finds that.
            #expect(harness.pipeline.status.renderCount == 1)
            try scene.replace("a/1.jpg", Self.first)
            let part = try await zoom.part(of: item, tile, ZoomSize(width: 600, height: 400))
            #expect(!part.isPreview)
        }
    }

    @Test func `a picture is rendered from its file, which is not copied into the cache`()
        async throws
    {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("a/1.jpg", Self.first)
            let made = try await scene.picture("a/1.jpg")
            #expect(
                made.outcome == .miss
                    && (made.picture.facts.width, made.picture.facts.height) == (320, 213))
            #expect(harness.origin.log.requests.isEmpty)
            let digest = Digest(of: Self.first)
            await #expect(throws: Failure.self) { try await harness.pipeline.pictures.blob(digest) }
            let statistics = try await harness.pipeline.statistics()
            #expect(statistics.originals == 1)
            // Three levels, smaller ones by the way.
            #expect(statistics.thumbnails == 3)
            let hit = try await scene.picture("a/1.jpg")
            #expect(hit.outcome == .hit && hit.picture.facts.digest == made.picture.facts.digest)
            // Larger levels need the file once more.
            #expect(try await scene.picture("a/1.jpg", "xl").picture.facts.width == 600)
            let item = scene.item("a/1.jpg")
            #expect(
                try await harness.pipeline.pictures.shown([item])[item]?.summary?.width == 600)
        }
    }

    @Test func `files whose names look the same have pictures of their own`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            let names = ["a/\u{E9}.jpg", "a/e\u{301}.jpg"]
            try scene.write(names[0], Self.first)
            try scene.write(names[1], Self.second)
            #expect(try await scene.picture(names[0]).picture.facts.width == 320)
            #expect(try await scene.picture(names[1]).picture.facts.height == 480)
            // From memory, too.
            #expect(try await scene.picture(names[0]).picture.facts.width == 320)
            let shown = try await harness.pipeline.pictures.shown(names.map(scene.item))
            #expect(names.map { shown[scene.item($0)]?.summary?.width } == [600, 400])
        }
    }

    @Test(arguments: ["write", "replace", "same size and time"])
    func `the next request after a change gets the new picture`(way: String) async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("a/1.jpg", Self.first)
            #expect(try await scene.picture("a/1.jpg").picture.facts.width == 320)
            let old = try await scene.picture("a/1.jpg", "s")
            switch way {
            case "write": try scene.write("a/1.jpg", Self.second)
            case "replace": try scene.replace("a/1.jpg", Self.second)
            default:
                let path = scene.directory.file("pics/a/1.jpg")
                let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
                let longer =
                    Self.second
                    + [UInt8](
                        repeating: 0, count: max(0, Self.first.count - Self.second.count))
                try scene.replace("a/1.jpg", longer)
                try FileManager.default.setAttributes(
                    [.modificationDate: try #require(time)], ofItemAtPath: path)
            }
            await scene.noticed("a/1.jpg")
            let new = try await scene.picture("a/1.jpg")
            #expect(new.picture.facts.height == 480 && new.outcome == .miss)
            // The other levels, too, although they were fresh.
            let small = try await scene.picture("a/1.jpg", "s")
            #expect(
                small.picture.facts.digest != old.picture.facts.digest
                    && small.picture.facts.height == 240)
        }
    }

    @Test func `a file that was touched is not rendered again`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("a/1.jpg", Self.first)
            let made = try await scene.picture("a/1.jpg")
            let renders = harness.pipeline.status.renderCount
            try scene.replace("a/1.jpg", Self.first)
            await scene.noticed("a/1.jpg")
            let again = try await scene.picture("a/1.jpg")
            #expect(again.picture.facts.digest == made.picture.facts.digest)
            #expect(harness.pipeline.status.renderCount == renders)
        }
    }

    @Test func `a deleted file has no picture, and one that comes back has`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("a/1.jpg", Self.first)
            _ = try await scene.picture("a/1.jpg")
            try FileManager.default.removeItem(atPath: scene.directory.file("pics/a/1.jpg"))
            await scene.noticed("a/1.jpg")
            for _ in 1...2 {
                let gone = try await scene.picture("a/1.jpg")
                #expect(gone.picture.isPlaceholder && gone.picture.failure?.kind == .absent)
            }
            try scene.write("a/1.jpg", Self.second)
            #expect(try await scene.picture("a/1.jpg").picture.facts.height == 480)
        }
    }

    @Test func `a name that no file ever had leaves nothing behind`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            #expect(try await scene.picture("a/none.jpg").picture.isPlaceholder)
            let statistics = try await harness.pipeline.statistics()
            #expect(statistics.originals == 0 && statistics.items == 0)
        }
    }

    @Test func `a file that is not a picture has a placeholder until it is changed`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("a/1.jpg", FixtureImages.html)
            for _ in 1...2 {
                let answer = try await scene.picture("a/1.jpg")
                #expect(answer.picture.failure?.kind == .rejected && answer.picture.isPlaceholder)
            }
            try scene.replace("a/1.jpg", Self.first)
            await scene.noticed("a/1.jpg")
            #expect(try await scene.picture("a/1.jpg").picture.facts.width == 320)
        }
    }

    @Test func `pictures are kept over a restart, and looked at again after it`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("a/1.jpg", Self.first)
            try scene.write("a/2.jpg", Self.first + [0])
            let made = try await scene.picture("a/1.jpg")
            _ = try await scene.picture("a/2.jpg")
            try await harness.restart()
            try scene.replace("a/2.jpg", Self.second)
            #expect(
                try await scene.picture("a/1.jpg").picture.facts.digest == made.picture.facts.digest
            )
            #expect(try await scene.picture("a/2.jpg").picture.facts.height == 480)
        }
    }

    @Test func `an original is its file, with the digest that it has now`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("a/1.jpg", Self.first)
            let item = scene.item("a/1.jpg")
            let one = try await harness.pipeline.pictures.original(of: item)
            #expect(one.digest == Digest(of: Self.first))
            guard case .open(let blob) = one.content else {
                Issue.record("the file is not open")
                return
            }
            #expect(try await blob.read(0..<blob.byteCount) == Self.first)
            try scene.replace("a/1.jpg", Self.second)
            let other = try await harness.pipeline.pictures.original(of: item)
            #expect(other.digest == Digest(of: Self.second))
            // It was open before the change, and is not sent as if it had not changed.
            try scene.write("a/1.jpg", Self.first)
            guard case .open(let changed) = other.content else { return }
            await #expect(throws: StoreError.self) { try await changed.read(0..<10) }
        }
    }

    @Test func `a file without a pyramid has its level's size, even if zoom was asked first`()
        async throws
    {
        let scene = try await Self.narrow()
        try await withHarness(scene.harness) { harness async throws in
            try scene.write("wide.jpg", Canvas(width: 4000, height: 3000).encodeJPEG())
            try await scene.settle("wide.jpg")
            let (item, size) = (scene.item("wide.jpg"), ZoomSize(width: 160, height: 120))
            #expect(try await harness.pipeline.zoom.facts(of: item).size == size)
            let made = try await scene.picture("wide.jpg", "s").picture
            #expect(!made.isPlaceholder && (made.facts.width, made.facts.height) == (160, 120))
            #expect(try await harness.pipeline.zoom.facts(of: item).size == size)
        }
    }

    @Test func `pictures of sources whose terms forbid cropping stand on a ground`() async throws {
        let tile = Level(name: "tile", width: 60, height: 90, fit: .cover(.top))
        var imaging = ImagingConfiguration.patient
        imaging.levels = [tile]
        let harness = try await Harness(imaging: imaging, configure: { $0.levels = [tile] })
        try await withHarness(harness) { harness async throws in
            harness.serveArtist()
            harness.serveShow(1, medium: nil)
            let show = FixtureImages.jpeg(width: 640, height: 640)
            harness.origin.on("/original/1.jpg", .jpeg(show))
            func made(_ item: Item) async throws -> Picture {
                try await harness.pipeline.pictures.picture(of: item, level: tile, format: .jpeg)
                    .picture
            }
            let cropped = try await made(harness.item(1))
            let artist = Item(source: "spotify", kind: "artist", id: "abc")
            let whole = try await made(artist)
            #expect((cropped.facts.width, cropped.facts.height) == (60, 90))
            #expect((whole.facts.width, whole.facts.height) == (60, 90))
            let original = try await harness.pipeline.pictures.original(of: artist)
            guard case .open(let blob) = original.content else { return }
            let bytes = try await blob.read(0..<blob.byteCount)
            let renderer = try Renderer(imaging)
            for (level, expected) in [(tile.uncropped, true), (tile, false)] {
                let made = try await renderer.render(
                    bytes, [Rendition(level: level, format: .jpeg)])
                #expect((made.thumbnails[0].bytes == whole.bytes) == expected)
            }
            await renderer.shutdown()
            // A hit, a warm run and a purge mean the same thumbnail.
            let pictures = harness.pipeline.pictures
            await pictures.settled()
            // The original's own miss has dropped it from memory.
            _ = try await made(artist)
            #expect(pictures.hit(of: artist, level: tile, format: .jpeg) != nil)
            let need = try await pictures.need(artist, [Rendition(level: tile, format: .jpeg)])
            #expect(need.need.state == .fresh)
            _ = try await harness.pipeline.purge.run(.item(artist))
            #expect(pictures.hit(of: artist, level: tile, format: .jpeg) == nil)
        }
    }
}
