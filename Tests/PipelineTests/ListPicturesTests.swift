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
    @Test func `a row that names another URL shows that picture at the next request`()
        async throws
    {
        try await ListScene.with { scene in
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

    @Test func `a run of URLs fills the items of a list that has them, without another request`()
        async throws
    {
        try await ListScene.with { scene in
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
        try await ListScene.with { scene in
            #expect(try await scene.width("S9") == nil)
            try scene.write(scene.row("S9", "/1.jpg"))
            #expect(try await scene.width("S9") == 10)
        }
    }

    @Test func `a list has a page with what is known of its pictures`() async throws {
        try await ListScene.with { scene in
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
        try await ListScene.with { scene in
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
        try await ListScene.with { scene in
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
        try await ListScene.with { scene in
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
        try await ListScene.with { scene in
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
        try await ListScene.with { scene in
            try scene.write((1...250).map { scene.row("S\($0)", "/\($0).jpg") }.joined())
            let forecast = try await scene.harness.pipeline.warm.forecast(scene.run(levels: []))
            #expect(forecast.items == 250)
        }
    }

    @Test func `a dead link is tried again when it is asked for`() async throws {
        try await ListScene.with { scene in
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
        try await ListScene.with { scene in
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
}
