import Synchronization
import TestSupport
import Testing

@testable import Imaging

/// Thumbnails that are delivered while the others are made.
@Suite(.timeLimit(.minutes(1))) struct EarlyThumbnailsTests {
    private static let levels = [40, 80, 160].map { Level(name: "\($0)", width: $0, height: $0) }
    private static let renditions = levels.map { Rendition(level: $0, format: .jpeg) }

    private final class Delivered: Sendable {
        let calls = Mutex<[[Thumbnail]]>([])
    }

    @Test(
        arguments: [IsolationPolicy(), .child()], ["JPEG", "PNG"])
    func `they have the bytes of the rendering, and come once`(
        isolation: IsolationPolicy, format: String
    ) async throws {
        var configuration = ImagingConfiguration.patient
        configuration.levels = Self.levels
        configuration.isolation = isolation
        let renderer = try Renderer(configuration)
        let original =
            format == "JPEG"
            ? FixtureImages.jpeg(width: 300, height: 200)
            : FixtureImages.png(width: 300, height: 200, .rgb) { x, y, _ in x ^ y }
        let delivered = Delivered()
        let wanted = Set(Self.renditions[1...])
        let rendering = try await renderer.render(
            original, Self.renditions,
            early: EarlyThumbnails(wanted) { thumbnails in
                delivered.calls.withLock { $0.append(thumbnails) }
            })
        let calls = delivered.calls.withLock { $0 }
        #expect(calls.count == 1)
        #expect(Set(calls[0].map(\.rendition)) == wanted)
        for thumbnail in calls[0] {
            let final = rendering.thumbnails.first { $0.rendition == thumbnail.rendition }
            #expect(final?.bytes == thumbnail.bytes)
            #expect(final?.width == thumbnail.width)
            #expect(final?.height == thumbnail.height)
        }
        #expect(Set(rendering.thumbnails.map(\.rendition)) == Set(Self.renditions))
        await renderer.shutdown()
    }

    /// The planar lane may have delivered them before it leaves a picture to libvips.
    @Test func `two lanes together deliver them once`() {
        var calls = 0
        let early = EarlyWork(count: 1) { _, _ in calls += 1 }
        for _ in 0..<2 { early.deliver(PixelSize(width: 1, height: 1), []) }
        #expect(calls == 1)
    }

    /// Pixels that note what becomes of them.
    private final class Pixels: LevelPixels {
        let size: PixelSize
        let note: (String) -> Void

        init(_ size: PixelSize, _ note: @escaping (String) -> Void) {
            self.size = size
            self.note = note
        }

        func resampled(to size: PixelSize) -> Self { Self(size, note) }
        func framed(_ framing: Framing) -> Self { self }
        func prepareForEncoding() {}
        func encoded(as encoding: Encoding, in workspace: RenderWorkspace) -> [UInt8] {
            note("\(size.width)")
            return [1]
        }
        func pixels() throws(ImagingError) -> PixelBuffer {
            try PixelBuffer(width: 1, height: 1, bands: 3)
        }
    }

    @Test func `they are delivered before the others are encoded`() throws {
        let seen = PixelSize(width: 400, height: 400)
        let sizes = [160, 80, 40].map { PixelSize(width: $0, height: $0) }
        let encoding = Encoding.png(compression: 1)
        var notes: [String] = []
        let early = EarlyWork(count: 1) { _, thumbnails in
            notes += thumbnails.map { "delivered \($0.width)" }
        }
        var work = LevelWork(
            deadline: .none, early,
            of: [RenderPart(rendition: Self.renditions[1], encoding: encoding)])
        let pixels = Pixels(sizes[0]) { notes.append($0) }
        try RenderWorkspace.with { (workspace) throws(ImagingError) in
            try work.render(
                LevelChain(sizes: sizes), from: pixels,
                Dictionary(
                    uniqueKeysWithValues: sizes.map { size in
                        let level = Level(name: "", width: size.width, height: size.height)
                        return (Framing(level, of: seen), [encoding])
                    }), of: seen,
                in: workspace)
            try work.finish(in: workspace)
        }
        #expect(notes == ["80", "delivered 80", "160", "40"])
    }
}
