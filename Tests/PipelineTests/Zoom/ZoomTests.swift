import Catalog
import Foundation
import Hashing
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct ZoomTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
    private static let size = ZoomSize(width: 680, height: 1000)
    private static let tile = ZoomRequest(
        x: 0, y: 0, width: 512, height: 512, outWidth: 512, outHeight: 512)
    private static let part = ZoomRequest(
        x: 10, y: 20, width: 500, height: 400, outWidth: 250, outHeight: 200)

    /// A large picture that is made quickly.
    private static func plain(width: Int, height: Int) throws -> [UInt8] {
        try Canvas(width: width, height: height).encodeJPEG()
    }

    private func harness(_ original: OriginReply...) async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        if let first = original.first, let last = original.last {
            harness.origin.on("/original/1.jpg", first, last)
        }
        return harness
    }

    private func bytes(_ answer: ZoomAnswer) async throws -> [UInt8] {
        switch answer.content {
        case .bytes(let bytes): bytes
        case .part(let blob, let range): try await blob.read(range)
        case .known: []
        }
    }

    private func part(
        _ harness: Harness, _ request: ZoomRequest = tile, _ size: ZoomSize = size
    ) async throws -> [UInt8] {
        try await bytes(try await harness.pipeline.zoom.part(of: harness.item(1), request, size))
    }

    private func blobs(_ harness: Harness) -> Int {
        FileManager.default.enumerator(atPath: harness.directory.path + "/v2/blobs")?
            .compactMap { $0 as? String }.count { $0.split(separator: "/").count == 3 } ?? 0
    }

    /// Blobs that were removed and take their room on the disk, because this process has them open.
    private func removedAndOpen(_ harness: Harness) throws -> [String] {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }.filter { path in
            path.hasPrefix(harness.directory.path + "/v2/blobs/") && path.hasSuffix(" (deleted)")
        }
    }

    @Test func `all tiles of a picture come from one pyramid, however many ask`() async throws {
        try await withHarness(harness(.jpeg(Self.original, maxAge: 100))) { harness async throws in
            let facts = try await harness.pipeline.zoom.facts(of: harness.item(1))
            #expect(facts.size == Self.size)
            let decodes = harness.pipeline.status.renderCount
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let bytes = try await part(harness)
                        #expect(!bytes.isEmpty)
                    }
                }
                try await group.waitForAll()
            }
            let lower = ZoomRequest(
                x: 0, y: 512, width: 512, height: 488, outWidth: 512, outHeight: 488)
            #expect(try await !part(harness, lower).isEmpty)
            #expect(harness.pipeline.status.renderCount == decodes + 1)
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
        }
    }

    @Test func `a pyramid is found after a restart`() async throws {
        try await withHarness(harness(.jpeg(Self.original, maxAge: 100))) { harness async throws in
            let first = try await part(harness)
            try await harness.restart()
            #expect(try await part(harness) == first)
            #expect(harness.pipeline.status.renderCount == 0)
        }
    }

    @Test func `a purge removes the pyramid with the item`() async throws {
        let other = FixtureImages.jpeg(width: 680, height: 1000, seed: 2)
        try await withHarness(harness(.jpeg(Self.original, maxAge: 100), .jpeg(other))) {
            harness async throws in
            let first = try await part(harness)
            _ = try await harness.pipeline.purge.run(.item(harness.item(1)))
            #expect(blobs(harness) == 0)
            #expect(try removedAndOpen(harness) == [])
            let second = try await part(harness)
            #expect(second != first && !second.isEmpty)
        }
    }

    @Test func `a damaged pyramid is made again`() async throws {
        try await withHarness(harness(.jpeg(Self.original, maxAge: 100))) { harness async throws in
            let first = try await harness.pipeline.zoom.part(
                of: harness.item(1), Self.tile, Self.size)
            guard case .part(let blob, _) = first.content else {
                Issue.record("a tile is not a part of a blob")
                return
            }
            let sound = try await bytes(first)
            try harness.damage(blob.digest)
            #expect(try await part(harness) == sound)
            #expect(harness.pipeline.status.healCount == 1)
        }
    }

    @Test func `parts that are not tiles make no file, and equal ones are made once`() async throws
    {
        try await withHarness(harness(.jpeg(Self.original, maxAge: 100))) { harness async throws in
            _ = try await part(harness)
            let before = blobs(harness)
            let first = try await part(harness, Self.part)
            #expect(try await part(harness, Self.part) == first)
            #expect(blobs(harness) == before)
        }
    }

    @Test func `a client that has a part costs nothing`() async throws {
        try await withHarness(harness(.jpeg(Self.original, maxAge: 100))) { harness async throws in
            let zoom = harness.pipeline.zoom
            for request in [Self.tile, Self.part] {
                let first = try await zoom.part(of: harness.item(1), request, Self.size)
                let again = try await zoom.part(of: harness.item(1), request, Self.size) {
                    $0 == first.tag
                }
                guard case .known = again.content else {
                    Issue.record("the part was made again")
                    continue
                }
                #expect(again.tag == first.tag)
            }
        }
    }

    @Test func `a pyramid that has expired is served, and replaced when its original has changed`()
        async throws
    {
        let other = FixtureImages.jpeg(width: 680, height: 1000, seed: 2)
        try await withHarness(
            harness(
                .jpeg(Self.original, maxAge: 100, tag: "a"), .jpeg(other, maxAge: 100, tag: "b"))
        ) { harness async throws in
            let first = try await part(harness)
            harness.clock.advance(by: 101)
            let stale = try await harness.pipeline.zoom.part(
                of: harness.item(1), Self.tile, Self.size)
            #expect(stale.outcome == .stale)
            #expect(try await bytes(stale) == first)
            try await eventually { try await part(harness) != first }
        }
    }

    @Test func `an item without a usable picture has no size`() async throws {
        try await withHarness(harness(.ok(FixtureImages.html, type: "text/html"))) {
            harness async throws in
            let failure = await failure {
                _ = try await harness.pipeline.zoom.facts(of: harness.item(1))
            }
            #expect(failure?.kind == .rejected)
        }
    }

    /// 8 MiB of memory, of which quick renders have a quarter: enough for the only level, and too little
    /// for a pyramid.
    private func narrowHarness(
        width: Int, height: Int, then other: ZoomSize? = nil
    ) async throws -> Harness {
        let level = Level(name: "s", width: 160, height: 240)
        var imaging = ImagingConfiguration.patient
        imaging.memory = 8 << 20
        imaging.levels = [level]
        let harness = try await Harness(imaging: imaging, configure: { $0.levels = [level] })
        harness.serveShow(1, medium: nil)
        let original = try Self.plain(width: width, height: height)
        let second = try other.map { try Self.plain(width: $0.width, height: $0.height) }
        harness.origin.on(
            "/original/1.jpg", .jpeg(original, maxAge: 100),
            .jpeg(second ?? original, maxAge: 100))
        return harness
    }

    @Test func `a picture that is too large for a pyramid has one once its URL has a smaller one`()
        async throws
    {
        let small = ZoomSize(width: 600, height: 500)
        try await withHarness(narrowHarness(width: 4000, height: 3000, then: small)) {
            harness async throws in
            let (item, zoom) = (harness.item(1), harness.pipeline.zoom)
            _ = try await zoom.facts(of: item)
            for _ in 0..<3 {
                let failure = await failure { _ = try await part(harness, Self.tile, Self.size) }
                #expect(failure?.kind == .rejected)
            }
            // That is remembered of these bytes: the level, and one try.
            #expect(harness.pipeline.status.renderCount == 2)
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
            harness.clock.advance(by: 101)
            let tile = ZoomRequest(
                x: 0, y: 0, width: 512, height: 500, outWidth: 512, outHeight: 500)
            #expect(try await !part(harness, tile, small).isEmpty)
            #expect(try await zoom.facts(of: item).size == small)
        }
    }

    @Test
    func
        `a picture is tried once as a pyramid that is too large, by any process, until a limit changes`()
        async throws
    {
        let original = try Self.plain(width: 4000, height: 3000)
        try await withHarness(narrowHarness(width: 4000, height: 3000)) { harness async throws in
            let item = harness.item(1)
            let first = await failure { _ = try await part(harness, Self.tile, Self.size) }
            #expect(first?.reason.contains("imaging.memory") == true)
            // The bytes are at fault, and not the item.
            let index = harness.pipeline.pictures.thumbnails.index
            let known = try await index.item("\(item)").resolution(of: Rendition.pyramid.level.key)
            #expect(known?.original == Digest(of: original) && known?.failure == nil)
            // It harmed nothing.
            #expect(try await harness.pipeline.statistics().dangerous == 0)
            #expect(harness.pipeline.status.quarantineCount == 0)
            try await withHarness(Harness(beside: harness)) { other async throws in
                other.clock.advance(by: 100_000)
                let again = await failure { _ = try await part(other, Self.tile, Self.size) }
                #expect(again?.kind == .rejected && again?.reason == first?.reason)
                #expect(other.pipeline.status.renderCount == 0)
                #expect(try await !other.picture(1, "s").picture.isPlaceholder)
            }
            var imaging = ImagingConfiguration.patient
            imaging.levels = harness.pipeline.configuration.levels
            try await withHarness(Harness(beside: harness, imaging: imaging)) {
                other async throws in
                #expect(try await !part(other, Self.tile, Self.size).isEmpty)
            }
        }
    }

    @Test func `a picture that becomes too large for a pyramid is shown all the same`()
        async throws
    {
        let large = ZoomSize(width: 4000, height: 3000)
        try await withHarness(narrowHarness(width: 500, height: 600, then: large)) {
            harness async throws in
            let item = harness.item(1)
            #expect(try await !part(harness, Self.tile, ZoomSize(width: 500, height: 600)).isEmpty)
            harness.clock.advance(by: 101)
            // Refreshes in the background.
            _ = try await part(harness, Self.tile, ZoomSize(width: 500, height: 600))
            let shown = ZoomSize(width: 160, height: 120)
            try await eventually {
                try await harness.pipeline.zoom.facts(of: item).size == shown
            }
            try await eventually { try await harness.picture(1, "s").picture.facts.width == 160 }
            #expect(try await harness.picture(1, "s").picture.facts.height == 120)
        }
    }

    @Test func `a picture whose pyramid needs more memory than there is has its largest level`()
        async throws
    {
        try await withHarness(narrowHarness(width: 4000, height: 3000)) { harness async throws in
            let (item, zoom) = (harness.item(1), harness.pipeline.zoom)
            let expected = try await zoom.facts(of: item)
            #expect(expected.size == ZoomSize(width: 4000, height: 3000) && expected.isExpected)
            let failure = await failure {
                _ = try await zoom.part(of: item, Self.tile, expected.size)
            }
            #expect(failure?.kind == .rejected)
            #expect(failure?.reason.contains("imaging.memory") == true)
            let facts = try await zoom.facts(of: item)
            #expect(facts.size == ZoomSize(width: 160, height: 120) && !facts.isExpected)
            let corner = ZoomRequest(
                x: 0, y: 0, width: 80, height: 60, outWidth: 80, outHeight: 60)
            let part = try await zoom.part(of: item, corner, facts.size)
            #expect(try await !bytes(part).isEmpty)
            #expect(!part.isPreview)
        }
    }

    @Test func `a part that the largest level shows comes from it if there can't be a pyramid`()
        async throws
    {
        try await withHarness(narrowHarness(width: 1900, height: 2000)) { harness async throws in
            let size = try await harness.pipeline.zoom.facts(of: harness.item(1)).size
            let overview = ZoomRequest(
                x: 0, y: 0, width: 1900, height: 2000, outWidth: 95, outHeight: 100)
            let seen = try await harness.pipeline.zoom.part(of: harness.item(1), overview, size)
            #expect(try await !bytes(seen).isEmpty)
            #expect(!seen.isPreview)
        }
    }

    @Test func `parts beyond the queue are refused with the seconds after which to retry`()
        async throws
    {
        var imaging = ImagingConfiguration.patient
        imaging.threads = 1
        let renderer = try Renderer(imaging)
        var policy = ZoomPolicy()
        policy.waiting = 0
        let edition = Edition(0, PipelineConfiguration(), Sources([]), renderer)
        let cuts = Cuts(policy, Editions(edition), threads: renderer.load.threads, bytes: 1 << 20)
        let gate = Gate()
        let gone = Failure.notFound(reason: "The picture is gone.")
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        @Sendable func bytes(_ number: Int) async -> Failure? {
            let request = ZoomRequest(
                x: number, y: 0, width: 9, height: 9, outWidth: 9, outHeight: 9)
            let key = cuts.key(Digest(of: []), request)
            return await failure {
                _ = try await cuts.bytes(
                    of: Item(source: "a", kind: "b", id: "1"), key, work: 1
                ) {
                    start.yield()
                    await gate.wait()
                    throw gone
                }
            }
        }
        // Two parts for each thread.
        let running = (0..<2).map { number in Task { await bytes(number) } }
        var count = 0
        for await _ in started {
            count += 1
            if count == 2 { break }
        }
        let refused = await bytes(2)
        #expect(refused?.kind == .overloaded)
        #expect(refused?.retryAfter.map { $0 > 0 } == true)
        gate.open()
        for task in running { #expect(await task.value == gone) }
        await renderer.shutdown()
    }

    private func failure(_ body: () async throws -> Void) async -> Failure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? Failure
        }
    }

    @Test func `a museum is asked for a large picture only when a client looks closer`()
        async throws
    {
        let harness = try await Harness()
        harness.serveMuseum()
        let pictures = Harness.museumHosts[2]
        let (near, far) = (
            Harness.museumPicture(size: "4000,3000"), Harness.museumPicture(size: "1280,1920")
        )
        harness.origin.on(
            far, host: pictures,
            .jpeg(try Self.plain(width: 1280, height: 960), maxAge: 100))
        harness.origin.on(
            near, host: pictures,
            .jpeg(try Self.plain(width: 4000, height: 3000), maxAge: 100))
        try await withHarness(harness) { harness async throws in
            let item = harness.museumObject()
            let zoom = harness.pipeline.zoom
            let size = try await zoom.facts(of: item).size
            #expect(size == ZoomSize(width: 4000, height: 3000))
            let overview = ZoomRequest(
                x: 0, y: 0, width: 4000, height: 3000, outWidth: 500, outHeight: 375)
            let seen = try await zoom.part(of: item, overview, size)
            #expect(seen.isPreview)
            #expect(try await !bytes(seen).isEmpty)
            #expect(harness.origin.log.count(near) == 0)
            let closer = ZoomRequest(
                x: 0, y: 0, width: 512, height: 512, outWidth: 512, outHeight: 512)
            #expect(try await !zoom.part(of: item, closer, size).isPreview)
            #expect(harness.origin.log.count(near) == 1)
            #expect(harness.origin.log.count(far) == 1)
            // The overview is a tile now.
            let sharp = try await zoom.part(of: item, overview, size)
            guard case .part = sharp.content else {
                Issue.record("the overview is not a tile")
                return
            }
        }
    }
}
