import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

@Suite struct HitTableTests {
    @Test func `keeps only so many ways to write the paths of a picture`() async throws {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on(
            "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 68, height: 100), maxAge: 100))
        _ = try await harness.picture(1, "m", .webp)
        // Each letter as it is or percent-encoded, by the bits of a number.
        let paths = (0..<3_000).map { number in
            let letters = "tvmazeshow".utf8.enumerated().map { index, letter in
                number >> index & 1 == 1
                    ? "%" + String(letter, radix: 16) : String(UnicodeScalar(letter))
            }
            let zeros = String(repeating: "0", count: number >> 10)
            return "/t/m/\(letters[..<6].joined())/\(letters[6...].joined())/\(zeros)1"
        }
        var table = HitTable(harness.pipeline)
        for path in paths {
            var path = path
            let isHit = path.withUTF8 {
                table.entry(UnsafeRawBufferPointer($0), .webp, at: harness.pipeline.now()) != nil
            }
            #expect(isHit)
            table.settle()
        }
        #expect((1...1_024).contains(table.count))
        try await harness.close()
    }
}
