import HTTP
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct PipelineHitsTests {
    @Test func `only canonical targets are cached, and their bytes count for the picture`()
        async throws
    {
        try await withHarness { harness in
            harness.servePicture(maxAge: 100)
            _ = try await harness.picture(1, "m", .webp)
            let before = harness.pipeline.status.memory.bytes
            var hits = HitLookup(PipelineHits(harness.pipeline, bodyBytes: 0))
            func isFound(_ path: String) -> Bool {
                defer { hits.settle() }
                return Array("GET \(path) HTTP/1.1\r\nHost: a\r\nAccept: image/webp\r\n\r\n".utf8)
                    .withUnsafeBytes { bytes in
                        guard case .plain(let request) = RequestScan(bytes) else { return false }
                        return hits.answer(request, bytes, at: hits.now()) != nil
                    }
            }
            for path in [
                "/t/m/tvmaze/show/01", "/t/m/tvmaze/show/%31", "/t/m/tvm%61ze/show/1",
                "/t/m/tvmaze/show/1.WEBP", "/t/m/tvmaze/show/0001.webp",
                "/t/m/tvmaze/show/" + String(repeating: "0", count: 4_000) + "1",
            ] {
                #expect(!isFound(path))
            }
            #expect(hits.count == 0)
            #expect(harness.pipeline.status.memory.bytes == before)
            let operations = PipelineHits(harness.pipeline, bodyBytes: 0, .operations)
            Array("/t/m/tvmaze/show/1".utf8).withUnsafeBytes { target in
                let form = operations.representation(accept: nil)
                let found = operations.find(
                    target, form, needsBody: true, sendsFiles: true, after: nil)
                if case .unknown = found {} else { Issue.record("\(found)") }
            }
            #expect(isFound("/t/m/tvmaze/show/1"))
            #expect(isFound("/t/m/tvmaze/show/1.webp"))
            #expect(isFound("/t/m/tvmaze/show/1"))
            #expect(isFound("/t/m/tvmaze/show/1?x=1"))
            #expect(hits.count == 2)
            #expect(harness.pipeline.status.memory.bytes > before + 2_000)
        }
    }

    @Test func `the tables of all threads keep a quarter of the responses' files open`()
        async throws
    {
        try await withHarness { harness in
            let files = harness.pipeline.pictures.responseFilesLimit
            #expect(files >= 64)
            for tables in [1, 2, 16] {
                let hits = PipelineHits(harness.pipeline, bodyBytes: 0, tables: tables)
                #expect(tables * hits.maxFilesOfTable <= files / 4)
                #expect(tables * (hits.maxFilesOfTable + 1) > files / 4)
            }
        }
    }
}
