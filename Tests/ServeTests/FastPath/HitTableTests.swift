import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct HitTableTests {
    @Test func `keeps only the canonical path of a picture, and counts it`() async throws {
        try await withHarness { harness in
            harness.serveShow(1, medium: nil)
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 68, height: 100), maxAge: 100))
            _ = try await harness.picture(1, "m", .webp)
            let before = harness.pipeline.memory.bytes
            var table = HitTable(harness.pipeline)
            func isFound(_ path: String) -> Bool {
                var path = path
                defer { table.settle() }
                return path.withUTF8 {
                    table.entry(UnsafeRawBufferPointer($0), .webp, at: harness.pipeline.now())
                        != nil
                }
            }
            for path in [
                "/t/m/tvmaze/show/01", "/t/m/tvmaze/show/%31", "/t/m/tvm%61ze/show/1",
                "/t/m/tvmaze/show/1.WEBP", "/t/m/tvmaze/show/1?", "/t/m/tvmaze/show/0001.webp",
                "/t/m/tvmaze/show/" + String(repeating: "0", count: 4_000) + "1",
            ] {
                #expect(!isFound(path))
            }
            #expect(table.count == 0)
            #expect(harness.pipeline.memory.bytes == before)
            #expect(isFound("/t/m/tvmaze/show/1"))
            #expect(isFound("/t/m/tvmaze/show/1.webp"))
            #expect(isFound("/t/m/tvmaze/show/1"))
            #expect(table.count == 2)
            #expect(harness.pipeline.memory.bytes > before + 2_000)
        }
    }
}
