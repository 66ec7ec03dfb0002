import Catalog
import Hashing
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

/// Several nodes with one shared store: what nodes read that another one published.
@Suite(.timeLimit(.minutes(1))) struct SharedReadsTests {
    private let nodes = SharedNodes()

    @Test func `an empty node serves a known item while its origin is down`() async throws {
        try await withHarness(nodes.node()) { harness in
            let first = try await harness.picture(1, "m", .webp)
            #expect(await nodes.upload(harness) == 0)
            nodes.breakOrigin(harness)
            let asked = harness.origin.log.requests.count
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let answer = try await other.picture(1, "m", .webp)
                #expect(answer.picture.facts.digest == first.picture.facts.digest)
                #expect(answer.picture.bytes == first.picture.bytes)
                #expect(other.origin.log.requests.count == asked)
                // Its whole bundle came: other formats and sizes need no request.
                let requests = nodes.objects.log.count
                let sibling = try await other.picture(1, "s", .jpeg)
                #expect(!sibling.picture.isPlaceholder)
                #expect(nodes.objects.log.count <= requests + 1)
            }
        }
    }

    @Test func `an empty node serves an expired item while its origin is down`() async throws {
        try await withHarness(nodes.node()) { harness in
            let first = try await harness.picture(1)
            #expect(await nodes.upload(harness) == 0)
            harness.clock.advance(by: 100_000)
            nodes.breakOrigin(harness)
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let answer = try await other.picture(1)
                #expect(answer.picture.facts.digest == first.picture.facts.digest)
                #expect(answer.picture.failure != nil && !answer.picture.isPlaceholder)
                let details = try await other.pipeline.catalog.details(of: other.item(1))
                #expect(details.isStale && details.details.entry.title == "Show 1")
            }
        }
    }

    @Test func `a picture that left this node's disk comes back from the shared store`()
        async throws
    {
        try await withHarness(nodes.node()) { harness in
            let first = try await harness.picture(1)
            #expect(await nodes.upload(harness) == 0)
            _ = try await harness.pipeline.upkeep.removeAllBlobs()
            try await harness.restart()
            nodes.breakOrigin(harness)
            let asked = harness.origin.log.requests.count
            let answer = try await harness.picture(1)
            #expect(answer.picture.facts.digest == first.picture.facts.digest)
            #expect(harness.origin.log.requests.count == asked)
        }
    }

    @Test(arguments: [FaultyObjects.Fault.down, .silent])
    func `a store that is down or slow keeps no picture from its client`(
        _ fault: FaultyObjects.Fault
    ) async throws {
        try await withHarness(nodes.node(patience: .milliseconds(20))) { harness in
            nodes.objects.set(fault)
            for id in 1...3 {
                let answer = try await harness.picture(id)
                #expect(!answer.picture.isPlaceholder)
                #expect(answer.outcome == .miss)
            }
            nodes.objects.set(nil)
            // They are made up later.
            #expect(await nodes.upload(harness) == 0)
            let items = (1...3).map { harness.item($0) }
            let missing = nodes.unlisted(items)
            #expect(missing == [])
        }
    }

    @Test func `the status says that the store fails again and again`() async throws {
        try await withHarness(nodes.node()) { harness in
            nodes.objects.set(.down)
            let shared = try #require(harness.pipeline.pictures.context.shared)
            #expect(harness.pipeline.status.shared?.breaker == 0)
            for _ in 0..<SharedBreaker.threshold {
                _ = try await shared.restore(harness.item(1), harness.levels)
            }
            // Open, or half open by now.
            #expect(harness.pipeline.status.shared?.breaker ?? 0 > 0)
        }
    }

    @Test(arguments: ["t/", "i/"]) func `a wrong object is moved aside, made again and replaced`(
        _ prefix: String
    ) async throws {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            let first = try await harness.picture(1)
            let object = try #require(nodes.objects.only(prefix))
            let damaged = Array(object.bytes.dropLast())
            nodes.objects.change(object.key, damaged)
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let answer = try await other.picture(1)
                #expect(answer.picture.facts.digest == first.picture.facts.digest)
                #expect(nodes.objects.objects["q/\(object.key)"] == damaged)
                #expect(await nodes.upload(other) == 0)
                #expect(nodes.objects.only("i/") != nil)
                _ = try await other.pipeline.shared.publish(other.item(1))
                let states = try await other.pipeline.shared.check([other.item(1)])
                #expect(states.values.first?.state == .stored)
                if prefix == "t/" { #expect(nodes.objects.objects[object.key] == object.bytes) }
            }
        }
    }

    @Test func `a picture in a format outside the bundle is an object of its own`() async throws {
        try await withHarness(nodes.node()) { harness in
            let first = try await harness.picture(1, "s", .png)
            #expect(await nodes.upload(harness) == 0)
            let singles = nodes.objects.objects.keys.filter { $0.hasSuffix(".png") }.sorted()
            // The level that was asked for, and the smaller one.
            #expect(
                singles.map { $0.split(separator: ".").dropFirst().joined(separator: ".") }
                    .sorted() == ["s.png", "xs.png"])
            nodes.breakOrigin(harness)
            try await withHarness(Harness(nodeBeside: harness)) { other in
                let answer = try await other.picture(1, "s", .png)
                #expect(answer.picture.facts.digest == first.picture.facts.digest)
            }
        }
    }

    @Test func `versions with other recipes serve side by side`() async throws {
        try await withHarness(nodes.node()) { harness in
            _ = try await harness.pipeline.shared.publish(harness.item(1))
            let first = try await harness.picture(1)
            var imaging = ImagingConfiguration.patient
            imaging.jpegQuality = 30
            try await withHarness(Harness(nodeBeside: harness, imaging: imaging)) { other in
                #expect(other.pipeline.shared.recipe != harness.pipeline.shared.recipe)
                #expect(
                    try await other.pipeline.shared.check([other.item(1)]).values.first?.state
                        == .missing)
                _ = try await other.pipeline.shared.publish(other.item(1))
                let second = try await other.picture(1)
                #expect(second.picture.facts.digest != first.picture.facts.digest)
                #expect(nodes.objects.objects.keys.filter { $0.hasPrefix("t/") }.count == 2)
                #expect(nodes.objects.objects.keys.filter { $0.hasPrefix("i/") }.count == 1)
                for node in [harness, other] {
                    #expect(
                        try await node.pipeline.shared.check([node.item(1)]).values.first?.state
                            == .stored
                    )
                }
                nodes.breakOrigin(harness)
                for node in [harness, other] {
                    try await withHarness(
                        Harness(
                            nodeBeside: harness,
                            imaging: node === other ? imaging : .patient)
                    ) { third in
                        let expected = node === other ? second : first
                        let answer = try await third.picture(1)
                        #expect(answer.picture.facts.digest == expected.picture.facts.digest)
                    }
                }
            }
        }
    }
}
