import CTurboJPEG
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PlanarJPEGTests {
    private static var pixels: PixelBuffer {
        FixtureImages.canvas(width: 120, height: 90, seed: 5).buffer
    }

    @Test func `other colors, and profiles for other colors, take libvips' lane`() throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, .both)
        #expect(try !JPEGFixture.isPlanar(JPEGFixture.general(jpeg)))
        #expect(
            try !JPEGFixture.isPlanar(
                FixtureImages.jpeg(jpeg, profile: FixtureImages.linearGrayProfile)))
        #expect(
            try !JPEGFixture.isPlanar(
                FixtureImages.cmykJPEG(width: 32, height: 32, ink: [0, 0, 0, 0])))
        let gray = try JPEGFixture.encoded(Self.pixels, .gray)
        #expect(
            try !JPEGFixture.isPlanar(
                FixtureImages.jpeg(gray, profile: SRGBProfileTests.profile())))
    }

    @Test func `a progressive picture of too many scans takes libvips' lane`() throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, .both, flags: TJFLAG_PROGRESSIVE)
        let scan: [UInt8] = [0xFF, 0xDA]
        #expect(try JPEGFixture.isPlanar(jpeg + (0..<10).flatMap { _ in scan }))
        #expect(try !JPEGFixture.isPlanar(jpeg + (0..<33).flatMap { _ in scan }))
    }

    @Test func `JPEGs cut within their header are left to libvips`() throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, .both)
        for count in 0..<300 {
            #expect((try? JPEGFixture.header(Array(jpeg.prefix(count))))?.planes == nil)
        }
    }

    /// With the default levels: `xl` needs 1280×1920.
    @Test(arguments: [
        (680, 1000, true), (2000, 3000, true), (6000, 4000, true), (12_000, 9_000, true),
        (4_032, 3_024, true),
        (3_600, 5_400, false), (4_000, 6_000, false),
    ])
    func `a picture whose planes would be large takes libvips' lane`(
        width: Int, height: Int, isPlanar: Bool
    ) {
        var header = Header(format: .jpeg, width: width, height: height)
        header.samples = 1.5
        header.planes = .both
        #expect(Lane.mayMakePlanes(header, Level.defaults) == isPlanar)
        // Without large levels every picture is shrunk far enough.
        #expect(Lane.mayMakePlanes(header, Level.defaults.filter { !$0.isLarge }))
    }
}
