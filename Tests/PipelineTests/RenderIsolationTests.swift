import Catalog
import Imaging
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RenderIsolationTests {
    private static let gif = FixtureImages.gif(
        width: 40, height: 60,
        colors: (RGB(red: 1, green: 2, blue: 3), RGB(red: 9, green: 9, blue: 9)))

    /// Children say of each picture that it is broken, with the number of their process.
    @Test func `a source's pictures, and those of a signed URL's host, have children of their own`()
        async throws
    {
        var imaging = ImagingConfiguration.patient
        imaging.isolation.isOn = true
        imaging.isolation.executable = ChildPrograms.helper
        imaging.isolation.arguments = ["render", "says who it is"]
        imaging.threads = 1
        try await withHarness(Harness(imaging: imaging)) { harness in
            harness.serveShow(1, medium: nil)
            harness.serveShow(2, medium: nil)
            for path in ["/original/1.jpg", "/original/2.jpg", "/1.gif", "/2.gif"] {
                harness.origin.on(path, .ok(Self.gif, type: "image/gif"))
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
