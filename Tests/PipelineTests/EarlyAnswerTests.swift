import Dispatch
import Imaging
import PipelineSupport
import TestSupport
import Testing

@testable import Pipeline
@testable import Store

/// A picture is answered when it is rendered. The disk follows.
@Suite(.timeLimit(.minutes(1))) struct EarlyAnswerTests {
    /// Keeps all others from writing to the index, from ``hasBegun()`` until ``stop()``.
    private final class LongWrite: Sendable {
        private let begun = Gate()
        private let end = DispatchSemaphore(value: 0)

        func run(_ index: Index) async throws {
            try await index.write { [begun, end] _ in
                begun.open()
                end.wait()
            }
        }

        func hasBegun() async { await begun.wait() }
        func stop() { end.signal() }
    }

    @Test func `a picture is answered before it is stored, and a purge waits for its storing`()
        async throws
    {
        try await withHarness { harness in
            let arrival = Gate()
            harness.servePicture(width: 300, height: 400, until: arrival)
            let (pictures, item) = (harness.pipeline.pictures, harness.item(1))
            let level = try harness.pipeline.level("m")
            async let rendered = pictures.picture(of: item, level: level, format: .jpeg)
            try await harness.origin.waitForRequests(2)
            let write = LongWrite()
            async let writing: Void = write.run(harness.pipeline.purge.index)
            // Also if the test fails, or it would wait for the end of the write.
            defer { write.stop() }
            await write.hasBegun()
            arrival.open()
            let first = try await rendered
            #expect(first.outcome == .miss)
            #expect(harness.pipeline.status.misses == 1)
            let second = try await pictures.picture(of: item, level: level, format: .jpeg)
            #expect(second.outcome == .hit)
            #expect(second.picture.facts.digest == first.picture.facts.digest)
            async let purge = harness.pipeline.purge.run(.item(item))
            await eventually { pictures.waiting(for: item) >= 1 }
            write.stop()
            try await writing
            #expect(try await purge.thumbnails > 0)
            let third = try await pictures.picture(of: item, level: level, format: .jpeg)
            #expect(third.outcome == .miss)
        }
    }
}
