import Catalog
import Foundation
import HTTP
import Hashing
import Imaging
import Pipeline
import PipelineSupport
import Serve
import Store
import TestSupport
import Testing

/// Hits whose pictures are on disk and not in memory.
@Suite(.timeLimit(.minutes(1))) struct DiskHitTests {
    /// Show 1, fresh for 100 s, as WebP and JPEG. Memory is too small for a picture.
    private func harness(bytes: Int = 100) async throws -> Harness {
        let harness = try await HitSite.harness(memory: bytes)
        #expect((harness.pipeline.status.memory.count == 0) == (bytes == 100))
        return harness
    }

    private func withServer(
        _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (Harness, RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(harness(), adjust, body)
    }

    @Test func `a restarted service answers from disk after it has read the index once`()
        async throws
    {
        try await withHarness(harness()) { harness in
            try await harness.restart()
            try await RunningServer.with(harness.pipeline) { running in
                var isFast: [Bool] = []
                // The same picture at another target needs no index either.
                for target in ["", "", ".webp", ".jpg"] {
                    isFast.append(try await ask(running, HitSite.path + target).isFast)
                }
                #expect(isFast == [false, true, true, false])
            }
        }
    }

    /// One picture is read, the other one is sent from its open file.
    private static let levels = ["xs", "l"]
    private static func path(_ level: String) -> String { "/t/\(level)/tvmaze/show/1.jpg" }

    @Test(arguments: levels) func `a picture's file is opened once for many responses`(
        level: String
    ) async throws {
        try await withServer { harness, running in
            let picture = try await harness.picture(1, level, .jpeg).picture
            #expect((picture.bytes.count > 12 << 10) == (level == "l"))
            let path = Self.path(level)
            for fields in ["", "", "Connection: close\r\n", "Range: bytes=0-1\r\n"] {
                let one = try await ask(running, path, fields)
                #expect(one.answer.status == 200 && one.isFast)
                #expect(one.answer.body == picture.bytes)
                let wayRound = try await ask(running, path, "X-Odd: 1\r\n" + fields)
                #expect(one.answer == wayRound.answer)
            }
            let row = try await running.ask((0..<5).map { _ in request(path) })
            #expect(row.map(\.body) == Array(repeating: picture.bytes, count: 5))
            #expect(harness.openFiles(of: picture.facts.digest) == 1)
            #expect(try await ask(running, path, method: "HEAD").answer.body == [])
        }
    }

    @Test(arguments: levels) func `a file that is removed is closed, and the picture is made again`(
        level: String
    ) async throws {
        try await withServer { harness, running in
            let picture = try await harness.picture(1, level, .jpeg).picture
            // Its file stays open once it was written some milliseconds ago.
            while harness.openFiles(of: picture.facts.digest) == 0 {
                #expect(try await ask(running, Self.path(level)).isFast)
                try Task.checkCancellation()
            }
            try FileManager.default.removeItem(atPath: harness.path(of: picture.facts.digest))
            // Such files are closed once a second of the service's clock.
            harness.clock.advance(by: 2)
            await eventually { harness.openFiles(of: picture.facts.digest) == 0 }
            let again = try await ask(running, Self.path(level))
            #expect(again.answer.body == picture.bytes && !again.isFast)
        }
    }

    @Test(arguments: levels)
    func `a damaged file is never sent, and is replaced`(level: String) async throws {
        try await withServer { harness, running in
            _ = try await harness.picture(1, level, .jpeg)
            let asked = { try await ask(running, Self.path(level)) }
            let sound = try await asked().answer
            for _ in 0..<2 { #expect(try await asked().isFast) }
            let digest = try await harness.picture(1, level, .jpeg).picture.facts.digest
            try harness.damage(digest)
            let healed = try await asked()
            #expect(healed.answer.status == 200 && healed.answer.body == sound.body)
            #expect(!healed.isFast)
            #expect(harness.pipeline.status.healCount == 1)
            await harness.pipeline.pictures.settled()
            let after = try await asked()
            #expect(after.isFast && after.answer.body == sound.body)
        }
    }

    /// The blob stays, so that only what is known of it can be out of date.
    @Test(arguments: ["item", "source", "all", "other process"])
    func `after a purge the index is asked again`(what: String) async throws {
        try await withServer { harness, running in
            #expect(try await ask(running).answer.fields["cache-status"] == "vitrine; hit")
            let scope: PurgeScope =
                switch what {
                case "item": .item(harness.item(1))
                case "source": .source("tvmaze")
                default: .all
                }
            if what == "other process" {
                let other = try Harness(beside: harness)
                _ = try await other.pipeline.purge.run(scope, soft: true)
                try await other.close()
                await harness.pipeline.purge.follow()
            } else {
                _ = try await harness.pipeline.purge.run(scope, soft: true)
            }
            let purged = try await ask(running)
            #expect(!purged.isFast)
            #expect(purged.answer.fields["cache-status"]?.contains("stale") == true)
        }
    }

    @Test func `a purge of one item leaves the others`() async throws {
        try await withServer { harness, running in
            harness.servePicture(2, maxAge: 100)
            _ = try await harness.picture(2)
            _ = try await harness.pipeline.purge.run(.item(harness.item(2)))
            #expect(try await ask(running).isFast)
        }
    }

    @Test func `a picture that comes back moves into memory`() async throws {
        try await withHarness(harness(bytes: 200_000)) { harness in
            // Others push it out.
            for id in 2..<12 {
                harness.servePicture(id, width: 680, height: 1000)
                _ = try await harness.picture(id)
            }
            let item = harness.item(1)
            let level = try harness.pipeline.level("m")
            func isInMemory() -> Bool {
                harness.pipeline.pictures.hit(of: item, level: level, format: .webp) != nil
            }
            try #require(!isInMemory())
            try await RunningServer.with(harness.pipeline) { running in
                let first = try await ask(running, HitSite.path + ".webp")
                var seen = 1
                while !isInMemory(), seen < 5 {
                    #expect(try await ask(running, HitSite.path + ".webp").answer == first.answer)
                    seen += 1
                }
                #expect(first.isFast && isInMemory())
                let read = harness.pipeline.status.blobBytesRead.sent
                let last = try await ask(running, HitSite.path + ".webp")
                #expect(last.isFast && last.answer == first.answer)
                #expect(harness.pipeline.status.blobBytesRead.sent == read)
            }
        }
    }

    @Test func `without room for bodies a responder answers`() async throws {
        try await withServer {
            $0.responseBytes = 4_000
        } _: { _, running in
            let full = try await ask(running)
            #expect(full.answer.status == 200 && !full.isFast)
            // These need no room.
            #expect(try await ask(running, method: "HEAD").isFast)
        }
    }

    @Test func `bodies take no room once they are sent`() async throws {
        let picture = try await withHarness(harness()) {
            try await $0.picture(1, "m", .webp).picture
        }
        // Room for one at a time.
        try await withServer {
            $0.responseBytes = 4 * (picture.bytes.count + 100)
        } _: {
            _, running in
            for _ in 0..<20 {
                let one = try await ask(running)
                #expect(one.isFast)
            }
        }
    }
}
