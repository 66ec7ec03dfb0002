import Testing

@testable import Imaging

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
