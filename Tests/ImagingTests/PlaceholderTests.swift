import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PlaceholderTests {
    private static let levels = [
        Level(name: "s", width: 160, height: 240), Level(name: "tiny", width: 1, height: 9),
    ]

    private func renderer(_ change: (inout PlaceholderStyle) -> Void) throws -> Renderer {
        var configuration = ImagingConfiguration.patient
        configuration.threads = 1
        change(&configuration.placeholder)
        return try Renderer(configuration)
    }

    @Test(arguments: ThumbnailFormat.allCases)
    func `a configured placeholder is rendered to every format`(format: ThumbnailFormat)
        async throws
    {
        let canvas = try Canvas(
            width: 500, height: 750, fill: RGB(red: 150, green: 20, blue: 90))
        let picture = try canvas.encodePNG()
        let renderer = try renderer { $0.picture = picture }
        try renderer.checkPlaceholder()
        for level in Self.levels {
            let made = try await renderer.placeholder(Rendition(level: level, format: format))
            let found = try DecodedPixels(made.bytes)
            let expected = PixelSize(width: 500, height: 750).fitting(level)
            #expect(found.size == expected)
            #expect((made.width, made.height) == (expected.width, expected.height))
            let sample = found.rgba(expected.width / 2, expected.height / 2)
            #expect(abs(sample[0] - 150) < 8 && abs(sample[2] - 90) < 8)
        }
        await renderer.shutdown()
    }

    @Test(arguments: ThumbnailFormat.allCases)
    func `the drawn placeholder fills its box and has the same bytes every time`(
        format: ThumbnailFormat
    ) async throws {
        let renderer = try renderer { _ in }
        for level in Self.levels {
            let rendition = Rendition(level: level, format: format)
            let one = try await renderer.placeholder(rendition)
            #expect((one.width, one.height) == (level.width, level.height))
            #expect(try DecodedPixels(one.bytes).size.width == level.width)
            #expect(try await renderer.placeholder(rendition).bytes == one.bytes)
        }
        await renderer.shutdown()
    }

    @Test(
        arguments: [
            (FixtureImages.html, .notAnImage(looksLike: "an HTML page")),
            (FixtureImages.truncated(FixtureImages.jpeg(width: 300, height: 300)), nil),
        ] as [([UInt8], ImagingError?)])
    func `one that can't be rendered is found at the start`(
        picture: [UInt8], expected: ImagingError?
    ) async throws {
        let renderer = try renderer { $0.picture = picture }
        let error = #expect(throws: ImagingError.self) { try renderer.checkPlaceholder() }
        if let expected { #expect(error == expected) }
        await renderer.shutdown()
    }

    @Test func `the drawn placeholder has the configured colors`() async throws {
        let renderer = try renderer {
            $0.background = RGB(red: 30, green: 32, blue: 40)
            $0.foreground = RGB(red: 240, green: 180, blue: 20)
        }
        try renderer.checkPlaceholder()
        let level = Level(name: "m", width: 320, height: 480)
        let made = try await renderer.placeholder(Rendition(level: level, format: .webp))
        let found = try DecodedPixels(made.bytes)
        #expect(found.size == PixelSize(width: 320, height: 480))
        let corner = found.rgba(10, 470)
        #expect(corner[0] < 50 && corner[2] < 60)
        // The frame's left side: 0.38 of the width, in the middle.
        let frame = found.rgba(160 - 61 + 4, 240)
        #expect(frame[0] > 200 && frame[2] < 80)
        await renderer.shutdown()
    }
}
