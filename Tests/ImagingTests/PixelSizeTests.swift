import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PixelSizeTests {
    private static let box = Level(name: "m", width: 320, height: 480)

    @Test(arguments: [
        (680, 1000, 320, 471), (1000, 680, 320, 218), (100, 100, 100, 100), (320, 480, 320, 480),
        (321, 480, 320, 479), (940, 2, 320, 1), (1, 65_535, 1, 480), (4000, 1, 320, 1),
        (6312, 5002, 320, 254),
    ])
    func `fits the box, never larger than the original`(
        width: Int, height: Int, toWidth: Int, toHeight: Int
    ) {
        let size = PixelSize(width: width, height: height).fitting(Self.box)
        #expect(size == PixelSize(width: toWidth, height: toHeight))
    }

    @Test func `thumbnails keep the shape to within a pixel`() {
        for width in stride(from: 300, to: 5000, by: 37) {
            for height in stride(from: 300, to: 5000, by: 41) {
                let size = PixelSize(width: width, height: height).fitting(Self.box)
                let exact = Double(size.width) * Double(height) / Double(width)
                let other = Double(size.height) * Double(width) / Double(height)
                #expect(
                    min(abs(exact - Double(size.height)), abs(other - Double(size.width))) < 1)
                #expect(size.width <= 320 && size.height <= 480)
            }
        }
    }

    @Test(arguments: [
        (680, 340, 1), (1279, 320, 1), (1280, 320, 2), (2559, 320, 2), (2560, 320, 4),
        (5119, 1280, 1), (5120, 1280, 2), (10_240, 1280, 4), (20_480, 1280, 8), (40_000, 80, 8),
        (640, 80, 4), (80, 80, 1), (3, 1, 1),
    ])
    func `leaves enough for the resampler to decide the picture`(from: Int, to: Int, shrink: Int) {
        let size = PixelSize(width: from, height: from)
        #expect(size.shrink(to: PixelSize(width: to, height: to)) == shrink)
    }
}

@Suite(.timeLimit(.minutes(1))) struct LimitsTests {
    private let limits = Limits(ImagingConfiguration())

    @Test(arguments: [
        (
            65_535, 65_535,
            "65535×65535 pixels are over the limit of 120,000,000 (imaging.maxPixels)"
        ),
        (935_820, 854_554, "935820×854554 pixels are over the limit of 120,000,000"),
        (4_294_967_295, 4_294_967_295, "pixels are over the limit"),
        (70_000, 1, "a side of 70,000 pixels is over the limit of 65,535"),
    ])
    func `names the limit, its value and what the picture has`(
        width: Int, height: Int, reason: String
    ) {
        #expect {
            try limits.check(width: width, height: height)
        } throws: { error in
            "\(error)".contains(reason)
        }
    }

    @Test func `pictures exactly at the limits are allowed`() throws {
        try limits.check(width: 12_000, height: 10_000)
        try limits.check(width: 65_535, height: 1)
        try limits.check(bytes: 256 << 20)
        #expect(throws: ImagingError.self) { try limits.check(bytes: 256 << 20 + 1) }
    }
}
