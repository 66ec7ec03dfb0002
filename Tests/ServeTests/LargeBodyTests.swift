import Foundation
import Imaging
import Memory
import Pipeline
import PipelineSupport
import Serve
import Store
import TestSupport
import Testing

/// Originals that are too large to be in memory once for each client.
@Suite(.timeLimit(.minutes(1))) struct LargeBodyTests {
    private static let path = "/o/tvmaze/show/1"
    /// A picture followed by more bytes than any socket buffers.
    private static let original =
        FixtureImages.jpeg(width: 64, height: 96, seed: 1)
        + (0..<16_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .jpeg(Self.original, maxAge: 1_000))
        // That of the largest level.
        _ = try await harness.pipeline.pictures.original(of: harness.item(1))
        return harness
    }

    /// A field that needs a responder.
    private static let odd = "X-Odd: 1\r\n"

    @Test func `clients of a responder that don't read take a few kilobytes each`()
        async throws
    {
        try await RunningServer.with(
            harness(), { $0.responseBytes = 1 << 20 }
        ) { harness, running in
            var stuck: [RawConnection] = []
            let wanted = request(Self.path, Self.odd + "Connection: close\r\n")
            for _ in 0..<40 {
                let connection = try await running.connect(reads: false)
                try await connection.send(wanted)
                stuck.append(connection)
            }
            // Two pieces of at most 4 KiB wait for each.
            await eventually { running.server.responseLoad.held >= 40 * 8_192 }
            #expect(running.server.responseLoad.peak <= 1 << 20)
            #expect(running.server.responseLoad.held == 40 * 8_192)
            // Meanwhile another client gets all of it.
            let reader = try await running.connect()
            try await reader.send(wanted)
            let answers = RawAnswer.parse(await reader.receivedUntilClosed())
            #expect(answers.first?.body == Self.original)
            // The rest of what was read for them is in their sockets, which take 128 KiB and
            // what is on its way.
            #expect(
                harness.pipeline.status.blobBytesRead.sent - Self.original.count < 40
                    * (384 << 10))
            try await stuck[0].startReading()
            let late = RawAnswer.parse(await stuck[0].receivedUntilClosed())
            #expect(late.first?.body == Self.original)
            await eventually { running.server.responseLoad.held == 39 * 8_192 }
        }
    }

    @Test func `clients of a hit that don't read take no memory for their responses`()
        async throws
    {
        try await RunningServer.with(harness()) { _, running in
            var stuck: [RawConnection] = []
            for _ in 0..<40 {
                let connection = try await running.connect(reads: false)
                try await connection.send(request(Self.path))
                _ = try await connection.readSome()
                stuck.append(connection)
            }
            let reader = try await running.connect()
            try await reader.send(request(Self.path, "Connection: close\r\n"))
            let answers = RawAnswer.parse(await reader.receivedUntilClosed())
            let isWhole = answers.first?.body == Self.original
            #expect(isWhole)
            #expect(running.server.counts.responded == 0)
            #expect(running.server.responseLoad.peak == 0)
        }
    }

    @Test func `a range reads only its bytes, and a response without body reads none`() async throws
    {
        try await RunningServer.with(harness()) { harness, running in
            let connection = try await running.connect()
            let part = request(Self.path, "Range: bytes=9000000-9000000\r\n")
            // The first ones compare the blob with its digest.
            for _ in 0..<2 { try await connection.send(part) }
            let first = await connection.answers(2)
            #expect(first.map(\.status) == [206, 206])
            #expect(first.map(\.body) == Array(repeating: [Self.original[9_000_000]], count: 2))
            // They are counted once they are read, which a client may hear of before.
            await eventually { harness.pipeline.status.blobBytesRead.sent == 2 }
            let (verified, sent) = harness.pipeline.status.blobBytesRead
            let tag = try #require(first[0].fields["etag"])
            try await connection.send(part)
            try await connection.send(request(Self.path, "If-None-Match: \(tag)\r\n"))
            try await connection.send(request(Self.path, method: "HEAD"))
            let answers = await connection.answers(5, heads: [4])
            #expect(answers.map(\.status) == [206, 206, 206, 304, 200])
            #expect(answers.last?.fields["content-length"] == "\(Self.original.count)")
            #expect(answers.last?.fields["content-type"] == "image/jpeg")
            await eventually { harness.pipeline.status.blobBytesRead == (verified, sent + 1) }
        }
    }
}
