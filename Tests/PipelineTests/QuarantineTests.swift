import Catalog
import Glibc
import Hashing
import Imaging
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

private let gif = FixtureImages.gif(
    width: 40, height: 60,
    colors: (RGB(red: 1, green: 2, blue: 3), RGB(red: 9, green: 9, blue: 9)))

extension ImagingConfiguration {
    /// Renders in child processes that do `what`.
    fileprivate static func isolated(_ what: String) -> ImagingConfiguration {
        var imaging = patient
        imaging.isolation.isOn = true
        imaging.isolation.arguments = ["render", what]
        return imaging
    }
}

@Suite(.timeLimit(.minutes(1))) struct QuarantineTests {
    /// Show 1, whose one picture is a GIF, rendered in a child process that does `what`.
    private func harness(_ what: String) async throws -> Harness {
        let harness = try await Harness(imaging: .isolated(what))
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .ok(gif, type: "image/gif"))
        return harness
    }

    @Test func `a picture that brought a renderer down is not tried again`() async throws {
        try await withHarness(harness("aborts")) { harness in
            let first = try await harness.picture(1, "s")
            #expect(first.picture.failure?.kind == .rejected)
            #expect(first.picture.failure?.reason.contains("crashed its renderer") == true)
            #expect(harness.pipeline.status.renderCount == 1)
            #expect(harness.pipeline.status.quarantineCount == 1)
            // Its URL is asked again when the rejection runs out; the same bytes come, under any URL.
            harness.clock.advance(by: 3_601)
            let second = try await harness.picture(1, "s")
            #expect(second.picture.failure?.reason.contains("not tried again") == true)
            #expect(harness.pipeline.status.renderCount == 1)
            let explained = try await harness.pipeline.pictures.explain(
                harness.item(1), resolving: false)
            #expect("\(explained)".contains("not tried again"))
        }
    }

    @Test func `a picture whose thumbnails brought a renderer down is not tried as a pyramid`()
        async throws
    {
        try await withHarness(harness("aborts")) { harness async throws in
            #expect(try await harness.picture(1, "s").picture.isPlaceholder)
            let tile = ZoomRequest(
                x: 0, y: 0, width: 40, height: 50, outWidth: 40, outHeight: 50)
            for _ in 0..<2 {
                harness.clock.advance(by: 3_601)
                await #expect {
                    _ = try await harness.pipeline.zoom.part(
                        of: harness.item(1), tile, ZoomSize(width: 40, height: 60))
                } throws: {
                    ($0 as? Failure)?.reason.contains("not tried again") == true
                }
                #expect(try await harness.picture(1, "s").picture.isPlaceholder)
            }
            #expect(harness.pipeline.status.renderCount == 1)
        }
    }

    /// Show 1, whose one picture is a JPEG, which is rendered in this process; another process died
    /// while it looked at that, and this one starts after it.
    private func restarted(_ imaging: ImagingConfiguration) async throws -> Harness {
        let harness = try await Harness(imaging: imaging)
        harness.serveShow(1, medium: nil)
        let jpeg = FixtureImages.jpeg(width: 40, height: 60)
        harness.origin.on("/original/1.jpg", .jpeg(jpeg))
        let process = try ChildProgram(
            ChildPrograms.helper,
            ["store", "die-looking", harness.directory.path, Digest(of: jpeg).hex])
        // A sanitizer ends the process in a way of its own.
        let status = await process.status()
        #expect(Sanitizer.isAtWork ? status != 0 : status == SIGABRT)
        #expect(harness.pipeline.status.suspectCount == 1, "a process beside it knows, too")
        try await harness.restart()
        #expect(harness.pipeline.status.suspectCount == 1)
        return harness
    }

    @Test func `a picture that a process died of is rejected if it brings a child down too`()
        async throws
    {
        try await withHarness(restarted(.isolated("aborts"))) { harness in
            let first = try await harness.picture(1, "s")
            #expect(first.picture.failure?.kind == .rejected)
            #expect(first.picture.failure?.reason.contains("crashed its renderer") == true)
            #expect(harness.pipeline.status.quarantineCount == 1)
            #expect(harness.pipeline.status.suspectCount == 0)
        }
    }

    @Test func `a picture that a process died beside is rendered in a child, then as any other`()
        async throws
    {
        try await withHarness(restarted(.isolated("render-child"))) { harness in
            let first = try await harness.picture(1, "s")
            #expect(first.picture.failure == nil)
            #expect(!first.picture.isPlaceholder)
            #expect(harness.pipeline.status.suspectCount == 0)
            try await harness.restart()
            #expect(harness.pipeline.status.suspectCount == 0)
            #expect(try await harness.picture(1, "m").picture.failure == nil)
        }
    }

    @Test func `a suspect stays one while no child can be had`() async throws {
        var imaging = ImagingConfiguration.patient
        imaging.isolation.executable = "/nonexistent/vitrine"
        try await withHarness(restarted(imaging)) { harness in
            await #expect(throws: Failure.self) { try await harness.picture(1, "s") }
            #expect(harness.pipeline.status.suspectCount == 1)
            #expect(harness.pipeline.status.quarantineCount == 0)
        }
    }

    @Test func `a picture that is just broken is tried again`() async throws {
        try await withHarness(harness("render-child")) { harness in
            harness.origin.on(
                "/original/1.jpg", .ok(FixtureImages.truncated(gif), type: "image/gif"))
            for _ in 0..<2 {
                let answer = try await harness.picture(1, "s")
                #expect(answer.picture.failure?.reason.contains("broken") == true)
                harness.clock.advance(by: 3_601)
            }
            #expect(harness.pipeline.status.renderCount == 2)
            #expect(harness.pipeline.status.quarantineCount == 0)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct RenderIsolationTests {
    /// Children say of each picture that it is broken, with the number of their process.
    @Test func `a source's pictures, and those of a signed URL's host, have children of their own`()
        async throws
    {
        var imaging = ImagingConfiguration.isolated("says who it is")
        imaging.threads = 1
        try await withHarness(Harness(imaging: imaging)) { harness in
            harness.serveShow(1, medium: nil)
            harness.serveShow(2, medium: nil)
            for path in ["/original/1.jpg", "/original/2.jpg", "/1.gif", "/2.gif"] {
                harness.origin.on(path, .ok(gif, type: "image/gif"))
            }
            let hosts = [Harness.imageHost, Harness.imageHost, Harness.apiHost]
            let items =
                try ["1", "2"].map {
                    try harness.pipeline.item(source: "tvmaze", kind: "show", id: $0)
                }
                + zip(hosts, ["1", "2", "2"]).map {
                    try SignedURL.item(of: "https://\($0)/\($1).gif")
                }
            let level = try harness.pipeline.level("s")
            var children: [String] = []
            for item in items {
                let answer = try await harness.pipeline.pictures.picture(
                    of: item, level: level, format: .webp)
                children.append(try #require(answer.picture.failure?.reason))
            }
            #expect(children[0].contains("broken"))
            #expect(children[0] == children[1])
            #expect(children[2] == children[3])
            // The chain of a signed URL follows from it.
            let index = try Index(root: harness.directory.path)
            #expect(try await index.document("item:\(items[0])") != nil)
            #expect(try await index.document("item:\(items[2])") == nil)
            try index.close()
            #expect(Set(children).count == 3)
        }
    }
}
