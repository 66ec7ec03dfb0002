import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct LibraryCallsTests {
    private static let renditions = Level.defaults.flatMap { level in
        [ThumbnailFormat.jpeg, .webp].map { Rendition(level: level, format: $0) }
    }

    @Test func `the libraries are measured while they make the renderer's own bytes`() async throws
    {
        let original = FixtureImages.jpeg(width: 700, height: 1_000)
        let renderer = try Renderer(.patient)
        let thumbnails = try await renderer.render(original, Self.renditions).thumbnails
        await renderer.shutdown()
        // Levels of the same size are made once.
        var once: [String: Int] = [:]
        for thumbnail in thumbnails {
            once["\(thumbnail.width) \(thumbnail.rendition.format)"] = thumbnail.bytes.count
        }
        let calls = try LibraryCalls(of: original, Self.renditions, .patient)
        #expect(calls.bytes == once.values.reduce(0, +))
        #expect(calls.time > .zero)
    }

    @Test func `a picture or format of libvips' lane is refused`() {
        let jpeg = FixtureImages.jpeg(width: 70, height: 100)
        let png = [Rendition(level: Level.defaults[0], format: .png)]
        #expect(throws: ImagingError.self) { try LibraryCalls(of: jpeg, png, .patient) }
        #expect(throws: ImagingError.self) {
            try LibraryCalls(of: JPEGFixture.general(jpeg), Self.renditions, .patient)
        }
    }
}
