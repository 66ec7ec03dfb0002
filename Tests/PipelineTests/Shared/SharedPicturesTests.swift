import Catalog
import Hashing
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

/// Several nodes with one shared store: what is published.
@Suite(.timeLimit(.minutes(1))) struct SharedPicturesTests {
    private let nodes = SharedNodes()

    @Test func `a published item is one bundle and one reference`() async throws {
        try await withHarness(nodes.node()) { harness in
            let published = try await harness.pipeline.shared.publish(harness.item(1))
            #expect(published.ending == .picture && !published.isKnown)
            #expect(published.objects == 2)
            let bundle = try #require(nodes.objects.only("t/"))
            let reference = try #require(nodes.objects.only("i/"))
            #expect(nodes.objects.objects.count == 2)
            // Two hexadecimal digits, then the whole digest.
            #expect(bundle.key.split(separator: "/").map(\.count) == [1, 16, 2, 64])
            #expect(
                reference.key == "i/\(Digest(of: Array("tvmaze/show/1".utf8)).hex.prefix(2))/"
                    + Digest(of: Array("tvmaze/show/1".utf8)).hex)
            // All levels in both formats, whatever was asked for.
            let recipe = String(bundle.key.split(separator: "/")[1])
            let original = try #require(Digest(hex: String(bundle.key.suffix(64))))
            let decoded = try PictureBundle(bundle.bytes, of: original, recipe: recipe)
            #expect(
                decoded.entries.map(\.name) == [
                    "xs:80x120.webp", "xs:80x120.jpg", "s:160x240.webp", "s:160x240.jpg",
                    "m:320x480.webp", "m:320x480.jpg", "l:640x960.webp", "l:640x960.jpg",
                    "xl:1280x1920.webp", "xl:1280x1920.jpg",
                ])
            #expect(original == Digest(of: SharedNodes.picture))
            // What the first question found holds for the whole work.
            #expect(nodes.objects.log.map { $0.prefix(5) } == ["get i", "put t", "put i"])
        }
    }

    @Test(arguments: [true, false])
    func `what another node writes of an item while it is made stays`(_ keepsExisting: Bool)
        async throws
    {
        var nodes = nodes
        nodes.objects = FaultyObjects(keepsExisting: keepsExisting)
        let (objects, gate) = (nodes.objects, Gate())
        try await withHarness(nodes.node()) { harness in
            let (item, now) = (harness.item(1), harness.clock.now)
            objects.hold("t/", "put", until: gate)
            async let published = harness.pipeline.shared.publish(item)
            await eventually { objects.count("put t/") == 1 }
            var other = ItemReference(ItemRecord("\(item)"))
            other.record.resolutions = [
                .init(
                    levels: ["other:9x9"], original: nil, url: nil, failure: nil, trace: nil,
                    resolvedAt: now, freshUntil: now)
            ]
            let key = SharedKeys.reference(item)
            objects.change(key, try other.encoded())
            gate.open()
            #expect(try await published.ending == .picture)
            let bytes = try #require(objects.objects[key])
            let reference = try #require(ItemReference(bytes, of: item))
            #expect(reference.record.resolution(of: "other:9x9") != nil)
            #expect(reference.record.resolutions.count == 2)
        }
    }

    @Test(arguments: ["0", "-1", "9223372036854775807"])
    func `a reference with an impossible width is made again, and ends no node`(width: String)
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            let key = SharedKeys.reference(harness.item(1))
            let sound = try #require(nodes.objects.objects[key])
            let text = String(decoding: sound, as: UTF8.self)
            let wrong = text.replacing(
                #/"width":[0-9]+/#, with: { _ in "\"width\":\(width)" })
            #expect(wrong != text)
            nodes.objects.change(key, Array(wrong.utf8))
            try await withHarness(Harness(nodeBeside: harness)) { other in
                _ = try await other.picture(1, "m", .webp)
                let facts = try await other.pipeline.zoom.facts(of: other.item(1))
                #expect(facts.size.width > 0 && facts.size.width < 100_000)
                #expect(await nodes.upload(other) == 0)
                let again = try #require(nodes.objects.objects[key])
                #expect(ItemReference(again, of: other.item(1)) != nil)
                #expect(nodes.objects.objects.keys.contains { $0.hasPrefix(SharedKeys.quarantine) })
            }
        }
    }

    @Test func `thumbnails that a worker holds are uploaded, and not read from its disk`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            let item = harness.item(1)
            let edition = harness.pipeline.pictures.context.editions.current
            let renditions = edition.renditions(in: edition.configuration.warm.formats)
            let made = try await harness.pipeline.pictures.ensure(item, Set(renditions))
            let blobs = harness.pipeline.pictures.thumbnails.blobs
            for picture in made.pictures.values { try await blobs.remove(picture.facts.digest) }
            let renders = harness.pipeline.status.renderCount
            let store = try #require(harness.pipeline.pictures.context.shared)
            let upload = try await store.upload(item, try await store.read(item), made.pictures)
            #expect(upload?.files == 2)
            #expect(harness.pipeline.status.renderCount == renders)
            #expect(nodes.objects.count("get i/") == 1 + 1, "the miss asked, too")
        }
    }

    @Test func `publishing again finds everything and writes nothing`() async throws {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            let asked = harness.origin.log.requests.count
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let known = try await other.pipeline.shared.publish(other.item(1))
                #expect(known.isKnown && known.objects == 0)
                #expect(other.origin.log.requests.count == asked)
                // An order to make sure of it makes the same.
                let before = nodes.objects.objects
                let again = try await other.pipeline.shared.publish(other.item(1), again: true)
                #expect(again.objects == 0)
                #expect(nodes.objects.objects == before)
            }
        }
    }

    @Test func `two nodes that made other levels first write the same bundle`() async throws {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.picture(1, "xl", .webp)
            #expect(await nodes.upload(harness) == 0)
            let first = try #require(nodes.objects.only("t/"))
            nodes.objects.change(first.key, nil)
            try #require(nodes.objects.only("i/").map { nodes.objects.change($0.key, nil) } != nil)
            try await withHarness(Harness(nodeBeside: harness)) { other in
                _ = try await other.picture(1, "xs", .jpeg)
                #expect(await nodes.upload(other) == 0)
                let second = try #require(nodes.objects.only("t/"))
                #expect(second == first)
            }
        }
    }

    @Test func `an item without a picture is published as such, and one that can't be read is not`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            harness.serveShow(1, medium: nil, original: nil)
            harness.origin.on("/medium/2.jpg", .status(503))
            harness.origin.on("/original/2.jpg", .status(503))
            let absent = try await harness.pipeline.shared.publish(harness.item(1))
            guard case .noPicture(let failure) = absent.ending else {
                Issue.record("\(absent.ending)")
                return
            }
            #expect(failure.kind == .absent)
            let unavailable = try await harness.pipeline.shared.publish(harness.item(2))
            guard case .unavailable = unavailable.ending else {
                Issue.record("\(unavailable.ending)")
                return
            }
            #expect(nodes.objects.objects.keys.filter { $0.hasPrefix("i/") }.count == 1)
            let states = try await harness.pipeline.shared.check(
                [harness.item(1), harness.item(2)])
            #expect(states[harness.item(1)]?.state.isDone == true)
            #expect(states[harness.item(2)]?.state == .missing)
            // Another node knows it without asking.
            let asked = harness.origin.log.requests.count
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let answer = try await other.picture(1)
                #expect(answer.picture.isPlaceholder && answer.picture.failure?.kind == .absent)
                #expect(other.origin.log.requests.count == asked)
            }
        }
    }

    @Test func `publishing fails while the store is down, and says when to come back`() async throws
    {
        try await withHarness(nodes.node()) { harness in
            nodes.objects.set(.readOnly)
            await #expect {
                _ = try await harness.pipeline.shared.publish(harness.item(1))
            } throws: { error in
                let failure = error as? Failure
                return failure?.kind == .storeUnusable && failure?.retryAfter != nil
            }
            nodes.objects.set(nil)
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            #expect(
                try await harness.pipeline.shared.check([harness.item(1)]).values.first?.state
                    == .stored)
        }
    }

    @Test func `checking finds what is missing, expired or wrong`() async throws {
        try await withHarness(nodes.node()) { harness in
            let items = (1...3).map { harness.item($0) }
            let shared = harness.pipeline.shared
            // Different pictures, so that each has a bundle of its own.
            for id in 1...3 {
                let own = FixtureImages.jpeg(width: 400, height: 600, seed: UInt64(id))
                harness.origin.on("/original/\(id).jpg", .jpeg(own, maxAge: 3_600))
            }
            for item in items { _ = try await shared.publish(item) }
            #expect(try await shared.check(items).values.allSatisfy { $0.state == .stored })
            let bundles = nodes.objects.objects.filter { $0.key.hasPrefix("t/") }
            #expect(bundles.count == 3)
            func key(_ id: Int) throws -> String {
                let own = FixtureImages.jpeg(width: 400, height: 600, seed: UInt64(id))
                return try #require(bundles.keys.first { $0.hasSuffix(Digest(of: own).hex) })
            }
            nodes.objects.change(try key(1), nil)
            nodes.objects.change(try key(2), [1, 2, 3])
            nodes.objects.change(SharedKeys.reference(items[2]), Array("{}".utf8))
            let states = try await shared.check(items)
            #expect(states[items[0]]?.state == .missing)
            for item in items[1...] {
                guard case .wrong = states[item]?.state else {
                    Issue.record("\(item): \(String(describing: states[item]))")
                    continue
                }
            }
            for item in items { _ = try await shared.publish(item) }
            #expect(try await shared.check(items).values.allSatisfy { $0.state == .stored })
            #expect(nodes.objects.objects[try key(2)] == bundles[try key(2)])
            harness.clock.advance(by: 3_601)
            #expect(try await shared.check(items).values.allSatisfy { $0.state == .stale })
        }
    }

    @Test func `without a shared store an item is published when it is on this node's disk`()
        async throws
    {
        try await withHarness { harness in
            harness.serveShow(1)
            harness.origin.on("/original/1.jpg", .jpeg(SharedNodes.picture))
            harness.origin.on("/medium/1.jpg", .jpeg(SharedNodes.picture))
            let shared = harness.pipeline.shared
            #expect(!shared.isConfigured)
            let before = try await shared.check([harness.item(1)])
            #expect(before.values.first?.state == .missing)
            #expect(try await shared.publish(harness.item(1)).ending == .picture)
            #expect(try await shared.check([harness.item(1)]).values.first?.state == .stored)
            #expect(try await shared.publish(harness.item(1)).isKnown)
        }
    }
}
