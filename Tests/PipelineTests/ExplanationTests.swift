import Catalog
import Foundation
import Hashing
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

@Suite struct ExplanationTests {
    private static let original = FixtureImages.jpeg(width: 400, height: 600, seed: 1)

    @Test func `an item that was never asked for is resolved and explained`() async throws {
        let harness = try await Harness()
        harness.serveShow(1)
        harness.origin.on("/original/1.jpg", .status(404))
        harness.origin.on("/medium/1.jpg", .jpeg(Self.original))
        let explained = try await harness.pipeline.pictures.explain(
            harness.item(1), resolving: true)
        #expect(explained.title == "Show 1")
        #expect(explained.catalogProblem == nil)
        #expect(explained.candidates.map(\.label) == ["original", "medium"])
        #expect(
            explained.candidates.map { $0.original?.digest } == [nil, Digest(of: Self.original)])
        #expect(explained.candidates.first?.original?.failure?.kind == "absent")
        #expect(explained.trace?.steps.map(\.outcome) == [.followed, .failed, .chosen])
        #expect(explained.trace?.fellBack == true)
        #expect(explained.levels.map(\.level) == harness.pipeline.configuration.levels)
        for shown in explained.levels {
            #expect(shown.resolution?.original == Digest(of: Self.original))
            #expect(shown.failure == nil)
            #expect(shown.thumbnails.map(\.key.format) == ["webp"])
        }
        try await harness.close()
    }

    @Test func `a request has its time, and what was stored for a later miss has none`()
        async throws
    {
        let harness = try await Harness()
        harness.serveShow(1)
        harness.origin.on("/original/1.jpg", .jpeg(Self.original))
        for level in ["m", "l"] {
            _ = try await harness.pipeline.pictures.picture(
                of: harness.item(1), level: harness.pipeline.level(level), format: .webp)
            let explained = try await harness.pipeline.pictures.explain(
                harness.item(1), resolving: false)
            let steps = try #require(explained.trace).steps
            #expect(steps.map(\.note) == (level == "m" ? ["asked", "200"] : ["stored", "stored"]))
            #expect(steps.allSatisfy { ($0.milliseconds != nil) == (level == "m") })
            #expect((explained.candidates.first?.milliseconds != nil) == (level == "m"))
            #expect(explained.candidates.last?.milliseconds == nil)
        }
        try await harness.close()
    }

    @Test func `a picture that a chain names twice is one candidate`() async throws {
        let harness = try await Harness()
        harness.servePoster()
        harness.serveShow(1, medium: "/small.jpg", original: "/poster.jpg")
        let poster = Item(source: "tvmaze", kind: "poster", id: "1")
        let explained = try await harness.pipeline.pictures.explain(poster, resolving: true)
        #expect(
            explained.candidates.map(\.label) == [
                "main poster (original)", "main poster (medium)",
            ])
        try await harness.close()
    }

    @Test func `an explanation without resolving fetches nothing`() async throws {
        let harness = try await Harness()
        harness.serveShow(1)
        let explained = try await harness.pipeline.pictures.explain(
            harness.item(1), resolving: false)
        #expect(explained.candidates.isEmpty)
        #expect(explained.catalogProblem == "No details are stored.")
        #expect(explained.trace == nil)
        #expect(explained.levels.allSatisfy { $0.resolution == nil && $0.thumbnails.isEmpty })
        #expect(harness.origin.log.requests.isEmpty)
        try await harness.close()
    }
}

@Suite(.timeLimit(.minutes(1))) struct TraceTests {
    @Test func `a trace is read as it was written, whatever its texts contain`() throws {
        var trace = Trace(resolvedAt: Date(timeIntervalSinceReferenceDate: 817_000_000.123_456))
        trace.add(.followed, "catalog a/b", note: "asked", took: .milliseconds(12))
        trace.add(.failed, "\u{0}\u{1}\u{1f}\u{7f}", url: "https://a/\"b\\c", note: "\n\r\t\u{8}")
        trace.add(.chosen, "größe 🎨", url: "", note: "")
        let bytes = trace.encoded()
        #expect(Trace(encoded: bytes) == trace)
        #expect(try JSONDecoder().decode(Trace.self, from: Data(bytes)) == trace)
    }

    @Test func `a trace without steps is read as it was written`() {
        let trace = Trace(resolvedAt: Date(timeIntervalSinceReferenceDate: 0))
        #expect(Trace(encoded: trace.encoded()) == trace)
    }
}
