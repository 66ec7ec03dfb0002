import Catalog
import Fetch
import Hashing
import Imaging
import Objects
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

/// Uploads to a shared store in the background, and purges of what is there.
@Suite(.timeLimit(.minutes(1))) struct SharedUploadsTests {
    private let nodes = SharedNodes()

    // MARK: - Uploads

    @Test func `uploads that wait survive a restart`() async throws {
        try await withHarness(nodes.node()) { harness in
            nodes.objects.set(.readOnly)
            _ = try await harness.picture(1)
            _ = try await harness.picture(2)
            #expect(await nodes.upload(harness) == 2)
            try await harness.restart()
            #expect(harness.pipeline.status.shared?.waiting == 0)
            nodes.objects.set(nil)
            #expect(await nodes.upload(harness) == 0)
            let items = [harness.item(1), harness.item(2)]
            // One format was made for clients; the upload has made the rest.
            #expect(nodes.unlisted(items) == [])
        }
    }

    @Test func `the background uploads what becomes ready`() async throws {
        try await withHarness(nodes.node()) { harness in
            harness.pipeline.uploads?.start()
            _ = try await harness.picture(1)
            await eventually { nodes.objects.only("i/") != nil }
            await eventually { harness.pipeline.status.shared?.waiting == 0 }
            #expect(nodes.objects.only("t/") != nil)
        }
    }

    @Test func `an original that is gone is fetched again with its source's header fields`()
        async throws
    {
        let picture = SharedNodes.picture
        var host = SourceDefinition.Host(HostPattern(Harness.imageHost))
        host.fields = [.init(name: "X-Key", value: Secret("geheim"))]
        let place = try SourceTemplate(
            "https://\(Harness.imageHost)/keyed/{id}.jpg", variables: ["id"])
        let source = ConfiguredSource(
            SourceDefinition(
                name: "keyed", title: "Keyed", hosts: [host],
                kinds: [
                    .init(name: "page", chain: [.init(label: "scan", place: .template(place))])
                ]))
        try await withHarness(nodes.node(sources: [source])) { harness in
            harness.origin.on("/keyed/1.jpg") { request in
                request.header("x-key") == "geheim" ? .jpeg(picture) : .status(403)
            }
            let item = Item(source: "keyed", kind: "page", id: "1")
            let pictures = harness.pipeline.pictures
            _ = try await pictures.picture(
                of: item, level: try harness.pipeline.level("m"), format: .webp)
            await pictures.settled()
            try await pictures.thumbnails.blobs.remove(Digest(of: picture))
            // The upload makes the other format.
            #expect(await nodes.upload(harness) == 0)
            #expect(nodes.unlisted([item]) == [])
        }
    }

    @Test(arguments: [
        ObjectError.forbidden(reason: "AccessDenied."), .tooLarge(limit: 5),
        .misconfigured(reason: "No."),
    ])
    func `an item that the store refuses is tried again later, and the others are uploaded`(
        error: ObjectError
    ) async throws {
        try await withHarness(nodes.node()) { harness in
            let items = (1...3).map { harness.item($0) }
            for id in 1...3 { _ = try await harness.picture(id) }
            let refused = SharedKeys.reference(items[0])
            nodes.objects.refuse(refused, error)
            let uploads = try #require(harness.pipeline.uploads)
            #expect(await uploads.step() == .more)
            #expect(await uploads.step() == .resting)
            #expect(nodes.unlisted(items) == [items[0]])
            #expect(harness.pipeline.status.shared?.waiting == 1)
            let puts = nodes.objects.count("put \(refused)")
            #expect(puts == 1)
            harness.clock.advance(by: UploadRests.firstRest)
            _ = await uploads.step()
            #expect(nodes.objects.count("put \(refused)") == 2)
            nodes.objects.refuse("none", error)
            harness.clock.advance(by: UploadRests.longestRest)
            #expect(await uploads.step() == .more)
            #expect(nodes.unlisted(items) == [])
            #expect(await uploads.step() == .done)
        }
    }

    @Test func `an item that is published is uploaded once, and not by the background, too`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            let gate = Gate()
            nodes.objects.hold("t/", "put", until: gate)
            let work = Task { () async throws -> PublishedItem in
                try await harness.pipeline.shared.publish(harness.item(1))
            }
            await eventually { nodes.objects.count("put t/") == 1 }
            // The mark is there, and left alone.
            #expect(await harness.pipeline.uploads?.step() == .resting)
            gate.open()
            let published = try await work.value
            #expect(published.objects == 2)
            #expect(await nodes.upload(harness) == 0)
            #expect(nodes.objects.count("put t/") == 1 && nodes.objects.count("put i/") == 1)
        }
    }

    @Test func `the background learns of an item once its mark is written`() async throws {
        try await withHarness(nodes.node()) { harness in
            let store = try #require(harness.pipeline.pictures.context.shared)
            let (bells, bell) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            store.waiting.ring(bell)
            let marked = Task {
                for await _ in bells { return try await store.marked(9).count }
                return -1
            }
            _ = try await harness.picture(1)
            #expect(try await marked.value == 1)
        }
    }

    @Test func `more waiting items than allowed are left to the reconciler`() async throws {
        try await withHarness(nodes.node(maxWaiting: 1)) { harness in
            nodes.objects.set(.readOnly)
            _ = try await harness.picture(1)
            _ = try await harness.picture(2)
            nodes.objects.set(nil)
            #expect(await nodes.upload(harness) == 0)
            let items = [harness.item(1), harness.item(2)]
            #expect(nodes.unlisted(items) == [items[1]])
        }
    }

    @Test func `a level that is asked for while another is read comes from the store, too`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            // The large levels have another original than the small ones.
            harness.origin.on(
                "/original/1.jpg",
                .jpeg(FixtureImages.jpeg(width: 800, height: 1_200, seed: 2), maxAge: 3_600))
            for level in ["xs", "l"] { _ = try await harness.picture(1, level) }
            #expect(await nodes.upload(harness) == 0)
            #expect(nodes.objects.objects.keys.count { $0.hasPrefix("t/") } == 2)
            let asked = harness.origin.log.requests.count
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let (gate, before) = (Gate(), nodes.objects.log.count)
                nodes.objects.hold("i/", until: gate)
                let small = Task { try await other.picture(1, "xs") }
                await eventually { nodes.objects.log.count > before }
                let large = Task { try await other.picture(1, "l") }
                await eventually { other.pipeline.pictures.waiting(for: other.item(1)) == 2 }
                gate.open()
                let pictures = [try await small.value, try await large.value]
                #expect(pictures.allSatisfy { !$0.picture.isPlaceholder })
                #expect(other.origin.log.requests.count == asked)
            }
        }
    }

    // MARK: - Purges

    @Test
    func
        `a purged item is gone from the shared store, with single renditions and other recipes' bundles`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.picture(1)
            #expect(await nodes.upload(harness) == 0)
            let bundle = try #require(nodes.objects.only("t/"))
            let parts = bundle.key.split(separator: "/")
            _ = try await harness.picture(1, "m", .png)
            #expect(await nodes.upload(harness) == 0)
            #expect(nodes.objects.objects.keys.count { $0.hasPrefix("t/") } > 1)
            nodes.objects.change("t/0000000000000000/\(parts[2])/\(parts[3])", bundle.bytes)
            _ = try await harness.pipeline.purge.run(.item(harness.item(1)))
            #expect(nodes.objects.objects.isEmpty)
        }
    }

    @Test(arguments: ["t/", "i/"])
    func `an upload that outlasts a purge leaves nothing in the shared store`(
        key: String
    ) async throws {
        try await withHarness(nodes.node(purgePatience: .zero)) { harness in
            _ = try await harness.picture(1)
            let gate = Gate()
            nodes.objects.hold(key, "put", until: gate)
            let upload = Task { await nodes.upload(harness) }
            await eventually { nodes.objects.count("put \(key)") == 1 }
            _ = try await harness.pipeline.purge.run(.item(harness.item(1)))
            gate.open()
            #expect(await upload.value == 0)
            #expect(nodes.objects.objects.isEmpty)
        }
    }

    /// Runs `body` with a node that has an item, and that node or another process on its cache.
    private func withTwo(
        _ isOther: Bool, _ body: @escaping (_ one: Harness, _ two: Harness) async throws -> Void
    ) async throws {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.picture(1)
            guard isOther else { return try await body(harness, harness) }
            try await withHarness(Harness(beside: harness)) { try await body(harness, $0) }
        }
    }

    @Test(arguments: [false, true])
    func `a purge waits for an upload of its item under way, by this process or another`(
        isOther: Bool
    ) async throws {
        try await withTwo(isOther) { one, two in
            let gate = Gate()
            nodes.objects.hold("t/", "put", until: gate)
            let upload = Task { await nodes.upload(one) }
            await eventually { nodes.objects.count("put t/") == 1 }
            let purge = Task { try await two.pipeline.purge.run(.item(two.item(1))) }
            let claims = two.pipeline.pictures.context.shared?.index.purgeClaims
            await eventually { claims?.waiting == 1 }
            gate.open()
            #expect(await upload.value == 0)
            _ = try await purge.value
            let log = nodes.objects.log
            let put = try #require(log.lastIndex { $0.hasPrefix("put i/") })
            #expect(log.firstIndex { $0.hasPrefix("delete ") }.map { $0 > put } == true)
            #expect(nodes.objects.objects.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `no upload of an item begins while it is purged, by this process or another`(
        isOther: Bool
    ) async throws {
        try await withTwo(isOther) { one, two in
            let gate = Gate()
            nodes.objects.hold("t/", "list", until: gate)
            let purge = Task { try await two.pipeline.purge.run(.item(two.item(1))) }
            await eventually { nodes.objects.count("list t/") == 1 }
            let upload = Task { await nodes.upload(one) }
            let claims = one.pipeline.pictures.context.shared?.index.claims
            await eventually { claims?.waiting == 1 }
            gate.open()
            _ = try await purge.value
            #expect(await upload.value == 0)
            #expect(nodes.objects.count("put ") == 0)
        }
    }

    @Test func `an upload by another node during a purge leaves nothing in the shared store`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.picture(1)
            try await withHarness(Harness(nodeBeside: harness)) { other in
                _ = try await other.picture(1)
                let gate = Gate()
                nodes.objects.hold("t/", "list", until: gate)
                let purge = Task { try await harness.pipeline.purge.run(.item(harness.item(1))) }
                await eventually { nodes.objects.count("list t/") == 1 }
                #expect(await nodes.upload(other) == 0)
                #expect(nodes.objects.count("put i/") == 1)
                gate.open()
                _ = try await purge.value
                #expect(nodes.objects.objects.isEmpty)
            }
        }
    }

    @Test func `a node that follows a purge removes what it put back, and not what was made since`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let item = other.item(1)
                _ = try await other.picture(1)
                _ = try await harness.pipeline.purge.run(.item(item))
                let store = try #require(other.pipeline.pictures.context.shared)
                #expect(try await store.upload(item) != nil)
                _ = try await other.pipeline.purge.run(.item(item), isLocal: true)
                #expect(nodes.objects.objects.isEmpty)
                // Both have the item; one purges and makes it again before the other follows.
                _ = try await other.picture(1)
                harness.clock.advance(by: 1)
                _ = try await harness.pipeline.purge.run(.item(item))
                _ = try await harness.pipeline.shared.publish(item)
                _ = try await other.pipeline.purge.run(.item(item), isLocal: true)
                let states = try await harness.pipeline.shared.check([item])
                #expect(states.mapValues(\.state) == [item: .stored])
            }
        }
    }

    @Test func `a purge of a source makes earlier references count as missing on every node`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            let states = try await harness.pipeline.shared.check([harness.item(1)])
            #expect(states.values.first?.state == .stored)
            try await withHarness(Harness(nodeBeside: harness)) { other in
                _ = try await harness.pipeline.purge.run(.source("tvmaze"))
                #expect(
                    try await other.pipeline.shared.check([other.item(1)]).values.first?.state
                        == .missing)
                let asked = other.origin.log.requests.count
                harness.clock.advance(by: 1)
                _ = try await other.picture(1)
                #expect(other.origin.log.requests.count > asked)
                _ = try await other.pipeline.shared.publish(other.item(1))
                #expect(
                    try await harness.pipeline.shared.check([other.item(1)]).values.first?.state
                        == .stored
                )
            }
        }
    }

    @Test func `a node that follows a purge of a source knows it before it reads the store again`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            try await withHarness(Harness(nodeBeside: harness)) { other in
                // It has just read which purges there were.
                let before = try await other.pipeline.shared.check([other.item(1)])
                #expect(before.mapValues(\.state) == [other.item(1): .stored])
                _ = try await harness.pipeline.purge.run(.source("tvmaze"))
                _ = try await other.pipeline.purge.run(.source("tvmaze"), isLocal: true)
                let after = try await other.pipeline.shared.check([other.item(1)])
                #expect(after.mapValues(\.state) == [other.item(1): .missing])
            }
        }
    }

    @Test func `nothing is purged while the shared store is down`() async throws {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.picture(1)
            #expect(await nodes.upload(harness) == 0)
            nodes.objects.set(.down)
            await #expect(throws: Failure.self) {
                _ = try await harness.pipeline.purge.run(.item(harness.item(1)))
            }
            #expect(try await harness.picture(1).outcome == .hit)
        }
    }
}
