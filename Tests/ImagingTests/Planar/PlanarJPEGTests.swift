import CTurboJPEG
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PlanarJPEGTests {
    private static var pixels: PixelBuffer {
        FixtureImages.canvas(width: 120, height: 90, seed: 5).buffer
    }

    @Test(arguments: ChromaSampling.allCases, [0, TJFLAG_PROGRESSIVE])
    func `JPEGs of every usual sampling take the planar lane`(
        sampling: ChromaSampling, flags: Int32
    ) throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, sampling, flags: flags)
        let picture = try #require(PlanarJPEG(jpeg, try JPEGFixture.header(jpeg)))
        #expect(picture.size == PixelSize(width: 120, height: 90))
        #expect(picture.sampling == sampling)
    }

    @Test func `other colors and profiles take the general lane`() throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, .both)
        #expect(try !JPEGFixture.isPlanar(JPEGFixture.general(jpeg)))
        #expect(
            try !JPEGFixture.isPlanar(
                FixtureImages.jpeg(jpeg, profile: FixtureImages.swappedProfile)))
        #expect(
            try !JPEGFixture.isPlanar(
                FixtureImages.cmykJPEG(width: 32, height: 32, ink: [0, 0, 0, 0])))
        let gray = try JPEGFixture.encoded(Self.pixels, .gray)
        #expect(
            try !JPEGFixture.isPlanar(
                FixtureImages.jpeg(gray, profile: SRGBProfileTests.profile())))
    }

    @Test func `an sRGB profile takes the planar lane`() throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, .both)
        let tagged = FixtureImages.jpeg(jpeg, profile: SRGBProfileTests.profile())
        #expect(try JPEGFixture.isPlanar(tagged))
    }

    @Test func `a progressive picture of too many scans takes the general lane`() throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, .both, flags: TJFLAG_PROGRESSIVE)
        let scan: [UInt8] = [0xFF, 0xDA]
        #expect(try JPEGFixture.isPlanar(jpeg + (0..<10).flatMap { _ in scan }))
        #expect(try !JPEGFixture.isPlanar(jpeg + (0..<33).flatMap { _ in scan }))
    }

    @Test func `JPEGs cut or changed within their header are left to the general lane`() throws {
        let jpeg = try JPEGFixture.encoded(Self.pixels, .both)
        let header = try JPEGFixture.header(jpeg)
        for count in 0..<300 { #expect(PlanarJPEG(Array(jpeg.prefix(count)), header) == nil) }
        var other = header
        other.width += 1
        #expect(PlanarJPEG(jpeg, other) == nil)
    }

    @Test(arguments: [
        (680, 1000, 640, 941, 1), (680, 1000, 320, 471, 1), (680, 1000, 160, 235, 2),
        (2000, 3000, 640, 960, 2), (2000, 3000, 320, 480, 2), (2000, 3000, 1280, 1920, 1),
        (6000, 4500, 640, 480, 4), (6000, 4500, 80, 60, 8), (1920, 2880, 640, 960, 2),
        (1919, 2880, 640, 960, 1), (640, 960, 320, 480, 1), (1280, 1920, 320, 480, 2),
    ])
    func `the decoder shrinks by powers of two and leaves the resampler enough`(
        width: Int, height: Int, toWidth: Int, toHeight: Int, shrink: Int
    ) {
        #expect(
            PlanarJPEG.shrink(
                PixelSize(width: width, height: height),
                to: PixelSize(width: toWidth, height: toHeight)) == shrink)
    }
}
