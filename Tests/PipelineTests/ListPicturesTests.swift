import Catalog
import Foundation
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

/// Pictures of a list, through the whole pipeline.
@Suite(.timeLimit(.minutes(1))) struct ListPicturesTests {
    private struct Scene {
        let directory: TemporaryDirectory
        let harness: Harness

        init(_ rows: String) async throws {
            directory = try TemporaryDirectory()
            let list = ListDefinition(
                name: "posters", title: "Posters", place: directory.file("posters.csv"))
            harness = try await Harness(lists: [list])
            try write(rows)
        }

        func write(_ rows: String) throws {
            try directory.write(Array("sku,title,poster\n\(rows)".utf8), to: "posters.csv")
        }

        /// Has the origin send a picture of this size.
        func serve(_ path: String, width: Int) {
            harness.origin.on(
                path, .ok(FixtureImages.jpeg(width: width, height: 60, seed: 1), type: "image/jpeg")
            )
        }

        func row(_ id: String, _ path: String) -> String {
            "\(id),Title of \(id),https://\(Harness.imageHost)\(path)\n"
        }

        func item(_ id: String) throws -> Item {
            try harness.pipeline.item(source: "posters", kind: "picture", id: id)
        }

        /// Returns the width of a picture; nil for the placeholder.
        func width(_ id: String) async throws -> Int? {
            let pipeline = harness.pipeline
            let answer = try await pipeline.pictures.picture(
                of: item(id), level: try pipeline.level("xs"), format: .jpeg)
            return answer.picture.isPlaceholder ? nil : answer.picture.facts.width
        }

        func asked(_ path: String) -> Int { harness.origin.log.count(path) }

        /// A run over all rows.
        func run(levels: [String] = ["xs"]) throws -> WarmRequest {
            let levels = try levels.map { try harness.pipeline.level($0) }
            return try WarmPlan(
                source: "posters", list: "pictures", words: [], of: harness.pipeline
            ).request(
                renditions: Set(levels.map { Rendition(level: $0, format: .jpeg) }),
                concurrency: 2)
        }
    }

    private static func scene(_ body: (Scene) async throws -> Void) async throws {
        let scene = try await Scene("")
        try await withHarness(scene.harness) { _ async throws in
            for (path, width) in [("/1.jpg", 10), ("/2.jpg", 20), ("/3.jpg", 30)] {
                scene.serve(path, width: width)
            }
            try scene.write(scene.row("S1", "/1.jpg") + scene.row("S2", "/2.jpg"))
            try await body(scene)
        }
    }

    @Test func `a row that names another URL shows that picture at the next request`()
        async throws
    {
        try await Self.scene { scene in
            #expect(try await scene.width("S1") == 10)
            #expect(try await scene.width("S2") == 20)
            try scene.write(scene.row("S1", "/3.jpg") + scene.row("S3", "/2.jpg"))
            #expect(try await scene.width("S1") == 30)
            #expect(try await scene.width("S2") == nil)
            // Rows of one URL share a picture, whichever ids they have.
            #expect(try await scene.width("S3") == 20)
            #expect(scene.asked("/2.jpg") == 1)
        }
    }

    @Test func `a forecast counts each picture once, and one that another item has not at all`()
        async throws
    {
        try await Self.scene { scene in
            let warm = scene.harness.pipeline.warm
            try scene.write(
                scene.row("S1", "/1.jpg") + scene.row("S2", "/2.jpg") + scene.row("S3", "/1.jpg"))
            let before = try await warm.forecast(scene.run())
            #expect(before.items == 3 && before.missing == 2)
            #expect(before.requests == 2 && before.originals == 2 && before.thumbnails == 2)
            // Another item shows the first picture, and one that is gone.
            let urls = try ["/1.jpg", "/none.jpg"].map {
                try SignedURL.item(of: "https://\(Harness.imageHost)\($0)")
            }
            var request = try scene.run()
            request.scope = .items(urls)
            _ = try await warm.run(request)
            let after = try await warm.forecast(scene.run())
            #expect(after.items == 3 && after.missing == 1 && after.fresh == 2)
            #expect(after.requests == 1 && after.originals == 1 && after.thumbnails == 1)
            #expect(after.reused == 2)
            let summary = try await warm.run(scene.run())
            #expect(summary.requests == 1 && summary.originals == 1 && summary.thumbnails == 1)
            #expect(scene.asked("/1.jpg") == 1 && scene.asked("/2.jpg") == 1)
            try scene.write(scene.row("S4", "/none.jpg"))
            let gone = try await warm.forecast(scene.run())
            #expect(gone.placeholders == 1 && gone.requests == 0 && gone.missing == 0)
        }
    }

    @Test(arguments: [(404, 1, 0), (503, 0, 1)])
    func `a forecast knows what a failed refresh left of a picture that another item showed`(
        status: Int, placeholders: Int, reused: Int
    ) async throws {
        try await Self.scene { scene in
            let warm = scene.harness.pipeline.warm
            try scene.write(scene.row("S1", "/1.jpg"))
            var urls = try scene.run()
            urls.scope = .items([try SignedURL.item(of: "https://\(Harness.imageHost)/1.jpg")])
            _ = try await warm.run(urls)
            scene.harness.clock.advance(by: 31 * 86_400)
            scene.harness.origin.on("/1.jpg", .status(status))
            _ = try await warm.run(urls)
            let asked = scene.asked("/1.jpg")
            let forecast = try await warm.forecast(scene.run())
            #expect(forecast.placeholders == placeholders && forecast.reused == reused)
            #expect(forecast.requests == 0 && forecast.missing == 0)
            _ = try await warm.run(scene.run())
            #expect(scene.asked("/1.jpg") == asked)
            #expect(try await scene.width("S1") == (reused == 1 ? 10 : nil))
        }
    }

    @Test func `a run of URLs fills the items of a list that has them, without another request`()
        async throws
    {
        try await Self.scene { scene in
            let pipeline = scene.harness.pipeline
            let rows = try ["S1", "S2"].map { try scene.item($0) }
            var request = try scene.run()
            request.scope = .items(
                try ["/1.jpg", "/2.jpg"].map {
                    try SignedURL.item(of: "https://\(Harness.imageHost)\($0)")
                })
            _ = try await pipeline.warm.run(request)
            #expect(try await pipeline.pictures.shown(rows).isEmpty)
            request.lists = pipeline.sources.pictureLists
            let summary = try await pipeline.warm.run(request)
            #expect(summary.items == 2 && summary.requests == 0)
            #expect(Set(try await pipeline.pictures.shown(rows).keys) == Set(rows))
            // Of a picture that has changed they show the new one.
            scene.serve("/1.jpg", width: 15)
            request.again = .all
            _ = try await pipeline.warm.run(request)
            #expect(try await scene.width("S1") == 15)
            #expect(scene.asked("/1.jpg") == 2)
        }
    }

    @Test func `a row that comes back has its picture at once`() async throws {
        try await Self.scene { scene in
            #expect(try await scene.width("S9") == nil)
            try scene.write(scene.row("S9", "/1.jpg"))
            #expect(try await scene.width("S9") == 10)
        }
    }

    @Test func `a list has a page with what is known of its pictures`() async throws {
        try await Self.scene { scene in
            _ = try await scene.width("S1")
            let pipeline = scene.harness.pipeline
            let query = try pipeline.catalog.query(
                source: "posters", list: "pictures", parameters: [:])
            let page = try await pipeline.catalog.page(query)
            #expect(page.items.map(\.entry.title) == ["Title of S1", "Title of S2"])
            #expect(page.total == 2)
            let shown = try await pipeline.pictures.shown(page.items.map(\.entry.item))
            #expect(shown.keys.map(\.id) == ["S1"])
        }
    }

    @Test func `the rows that got a picture last are named as the list has them`() async throws {
        try await Self.scene { scene in
            let pipeline = scene.harness.pipeline
            for id in ["S2", "S1"] {
                _ = try await scene.width(id)
                // Items are in the index in the order in which they were stored.
                await pipeline.pictures.settled()
            }
            let list = try pipeline.sources.named("posters")
            let entries = try await pipeline.recent(of: list, limit: 10)
            #expect(
                entries.map(\.item.description) == ["posters/picture/S1", "posters/picture/S2"])
            #expect(entries.map(\.title) == ["Title of S1", "Title of S2"])
        }
    }

    @Test func `a favorite row keeps the thumbnails of the picture that it shows`() async throws {
        try await Self.scene { scene in
            for id in ["S1", "S2"] { _ = try await scene.width(id) }
            let pipeline = scene.harness.pipeline
            let upkeep = pipeline.upkeep
            #expect(try await pipeline.userData.addFavorite(try scene.item("S1")) == .added)
            let protected = upkeep.pins.load
            #expect(protected.items == 1 && protected.bytes > 0)
            try await upkeep.refreshPins()
            #expect(upkeep.pins.load == protected)
            // The same picture under two names is counted once.
            try scene.write(scene.row("S1", "/1.jpg") + scene.row("S2", "/1.jpg"))
            _ = try await pipeline.userData.addFavorite(try scene.item("S2"))
            try await upkeep.refreshPins()
            #expect(upkeep.pins.load == protected)
        }
    }

    @Test func `a pinned row keeps the picture that it shows now, and can be unpinned`()
        async throws
    {
        try await Self.scene { scene in
            for id in ["S1", "S2"] { _ = try await scene.width(id) }
            let pipeline = scene.harness.pipeline
            let pins = pipeline.upkeep.pins
            #expect(try await pipeline.pins.pin([try scene.item("S1")]).pinned == 1)
            let first = pins.load.bytes
            try scene.write(scene.row("S1", "/2.jpg"))
            try await pipeline.upkeep.refreshPins()
            #expect(pins.load.items == 1 && pins.load.bytes > 0 && pins.load.bytes != first)
            #expect(try await pipeline.pins.unpin([try scene.item("S1")]) == 1)
            #expect(pins.isEmpty)
        }
    }

    @Test func `warming, explaining and purging name a row`() async throws {
        try await Self.scene { scene in
            let pipeline = scene.harness.pipeline
            let request = try scene.run()
            let summary = try await pipeline.warm.run(request)
            #expect(summary.items == 2 && summary.originals == 2)
            #expect(try await pipeline.warm.run(request).reused == 2)
            let explanation = try await pipeline.pictures.explain(
                try scene.item("S1"), resolving: false)
            #expect(explanation.item.description == "posters/picture/S1")
            #expect(explanation.title == "Title of S1")
            #expect(
                explanation.candidates.map(\.url) == ["https://\(Harness.imageHost)/1.jpg"])
            _ = try await pipeline.purge.everywhere(try pipeline.purge.scope("posters/picture/S1"))
            #expect(try await scene.width("S1") == 10)
            #expect(scene.asked("/1.jpg") == 2)
            let url = "https://\(Harness.imageHost)/2.jpg"
            _ = try await pipeline.purge.everywhere(try pipeline.purge.scope(url))
            #expect(try await scene.width("S2") == 20)
            #expect(scene.asked("/2.jpg") == 2)
        }
    }

    @Test func `a run has all rows, not only those of the first page`() async throws {
        try await Self.scene { scene in
            try scene.write((1...250).map { scene.row("S\($0)", "/\($0).jpg") }.joined())
            let forecast = try await scene.harness.pipeline.warm.forecast(scene.run(levels: []))
            #expect(forecast.items == 250)
        }
    }

    @Test func `a dead link is tried again when it is asked for`() async throws {
        try await Self.scene { scene in
            scene.harness.origin.on("/4.jpg", .status(404))
            try scene.write(scene.row("S4", "/4.jpg"))
            let pipeline = scene.harness.pipeline
            var request = WarmRequest(
                .items([try scene.item("S4")]),
                renditions: [Rendition(level: try pipeline.level("xs"), format: .jpeg)],
                concurrency: 1)
            #expect(try await pipeline.warm.run(request).notTried == 0)
            let second = try await pipeline.warm.run(request)
            #expect(second.placeholders == 1 && second.notTried == 1)
            #expect(scene.asked("/4.jpg") == 1)
            // Remembered for other levels, too.
            var larger = request
            larger.renditions = [Rendition(level: try pipeline.level("s"), format: .jpeg)]
            #expect(try await pipeline.warm.run(larger).notTried == 1)
            larger.again = .placeholders
            #expect(try await pipeline.warm.run(larger).notTried == 0)
            #expect(scene.asked("/4.jpg") == 2)
            scene.serve("/4.jpg", width: 40)
            request.again = .placeholders
            let third = try await pipeline.warm.run(request)
            #expect(third.placeholders == 0 && third.originals == 1)
            request.again = .all
            #expect(try await pipeline.warm.run(request).placeholders == 0)
            #expect(scene.asked("/4.jpg") == 4)
        }
    }

    @Test func `under load, a list that changes all the time answers with one of its states`()
        async throws
    {
        try await Self.scene { scene in
            #expect(try await scene.width("S1") == 10)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let path = scene.directory.file("posters.csv")
                    for round in 0..<40 {
                        switch round % 4 {
                        case 0: try scene.write(scene.row("S1", "/3.jpg"))
                        case 1: try FileManager.default.removeItem(atPath: path)
                        case 2:
                            try scene.directory.write(
                                Array("sku,title,poster\n\(scene.row("S1", "/1.jpg"))".utf8),
                                to: "new.csv")
                            #expect(rename(scene.directory.file("new.csv"), path) == 0)
                        default: try Data().write(to: URL(filePath: path))
                        }
                        _ = try await scene.width("S1")
                    }
                }
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<40 {
                            let width = try await scene.width("S1")
                            #expect(width == 10 || width == 30)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try scene.write(scene.row("S1", "/2.jpg"))
            #expect(try await scene.width("S1") == 20)
        }
    }

    @Test func `a dry run asks a few origins for sizes, and tells what they said`() async throws {
        try await Self.scene { scene in
            let pipeline = scene.harness.pipeline
            for id in 1...3 {
                scene.harness.origin.on("/\(id).jpg", host: Harness.imageHost) { request in
                    #expect(request.method == "HEAD")
                    return OriginReply(200, headers: [("Content-Length", "900\(id)")])
                }
            }
            scene.harness.origin.on("/4.jpg", .status(404))
            let rows = (1...4).map { scene.row("S\($0)", "/\($0).jpg") }.joined()
            try scene.write(rows)
            let request = try scene.run()
            let blind = try await pipeline.warm.forecast(request)
            #expect(blind.sample == nil && blind.basis == .nothing)
            let forecast = try await pipeline.warm.forecast(request, samples: true)
            let sample = try #require(forecast.sample)
            #expect((sample.asked, sample.sized, sample.absent) == (4, 3, 1))
            #expect(forecast.basis == .sample)
            #expect(sample.meanBytes == 9_002 && forecast.bytesFetched == 3 * 9_002)
            #expect(forecast.isUsual == true && forecast.bytesStored ?? 0 > 0)
        }
    }

    @Test func `a dry run asks for the first kilobyte where HEAD tells no size`() async throws {
        try await Self.scene { scene in
            scene.harness.origin.on("/1.jpg", host: Harness.imageHost) { request in
                if request.method == "HEAD" { return .status(405) }
                #expect(request.header("range") == "bytes=0-1023")
                return OriginReply(
                    206, body: [UInt8](repeating: 0, count: 1_024),
                    headers: [("Content-Range", "bytes 0-1023/54321")])
            }
            try scene.write(scene.row("S1", "/1.jpg"))
            let warm = scene.harness.pipeline.warm
            let sample = try await warm.forecast(scene.run(), samples: true).sample
            #expect(sample?.sized == 1 && sample?.meanBytes == 54_321)
        }
    }

    @Test func `a dry run says why an origin told no size`() async throws {
        try await Self.scene { scene in
            scene.harness.origin.on("/1.jpg", host: Harness.imageHost, .status(403))
            try scene.write(scene.row("S1", "/1.jpg"))
            let warm = scene.harness.pipeline.warm
            let sample = try await warm.forecast(scene.run(), samples: true).sample
            #expect(sample?.sized == 0 && sample?.reason == "An origin answered 403.")
        }
    }

    @Test func `a dry run asks the origins of at most 20 pictures, and names a smaller result`()
        async throws
    {
        try await Self.scene { scene in
            for id in 1...25 {
                scene.harness.origin.on("/\(id).jpg", host: Harness.imageHost) { _ in
                    OriginReply(200, headers: [("Content-Length", "9000")])
                }
            }
            try scene.write((1...25).map { scene.row("S\($0)", "/\($0).jpg") }.joined())
            let forecast = try await scene.harness.pipeline.warm.forecast(
                scene.run(levels: ["xs", "s"]), samples: true)
            #expect(forecast.sample?.asked == 20)
            #expect(scene.harness.origin.log.requests.count == 20)
            let smaller = try #require(forecast.smaller)
            #expect(smaller.without == "level s")
            #expect(smaller.bytes < forecast.bytesStored ?? 0)
        }
    }
}
