import Catalog
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@Suite struct QuarantineTests {
    private static let gif = FixtureImages.gif(
        width: 40, height: 60,
        colours: (RGB(red: 1, green: 2, blue: 3), RGB(red: 9, green: 9, blue: 9)))

    /// Show 1, whose one picture is a GIF, rendered in a child process that does `what`.
    private func harness(_ what: String) async throws -> Harness {
        var imaging = ImagingConfiguration.patient
        imaging.isolation.scope = .others
        imaging.isolation.executable = ChildPrograms.renderer
        imaging.isolation.arguments = [what]
        let harness = try await Harness(imaging: imaging)
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .ok(Self.gif, type: "image/gif"))
        return harness
    }

    @Test func `a picture that brought a renderer down is not tried again`() async throws {
        let harness = try await harness("aborts")
        let item = try harness.pipeline.item(source: "tvmaze", kind: "show", id: "1")
        let level = try harness.pipeline.level("s")
        let first = try await harness.pipeline.picture(of: item, level: level, format: .webp)
        #expect(first.picture.failure?.kind == .rejected)
        #expect(first.picture.failure?.reason.contains("brought its renderer down") == true)
        #expect(harness.pipeline.renderCount == 1)
        #expect(harness.pipeline.quarantineCount == 1)
        // Its URL is asked again when the rejection runs out; the same bytes come, under any URL.
        harness.clock.advance(by: 3_601)
        let second = try await harness.pipeline.picture(of: item, level: level, format: .webp)
        #expect(second.picture.failure?.reason.contains("not tried again") == true)
        #expect(harness.pipeline.renderCount == 1)
        let explained = try await harness.pipeline.explain(item, walking: false)
        #expect("\(explained)".contains("not tried again"))
        try await harness.close()
    }

    @Test func `a picture that is just broken is tried again`() async throws {
        let harness = try await harness("render-child")
        harness.origin.on(
            "/original/1.jpg", .ok(FixtureImages.truncated(Self.gif), type: "image/gif"))
        let item = try harness.pipeline.item(source: "tvmaze", kind: "show", id: "1")
        let level = try harness.pipeline.level("s")
        for _ in 0..<2 {
            let answer = try await harness.pipeline.picture(of: item, level: level, format: .webp)
            #expect(answer.picture.failure?.reason.contains("broken") == true)
            harness.clock.advance(by: 3_601)
        }
        #expect(harness.pipeline.renderCount == 2)
        #expect(harness.pipeline.quarantineCount == 0)
        try await harness.close()
    }
}
