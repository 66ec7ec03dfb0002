import Testing
import VitrineKit

@Suite(.timeLimit(.minutes(1))) struct ThumbHashTests {
    /// Pixels as the gallery's script draws them, in single precision.
    @Test(
        arguments: [
            (
                "1QcSHQRnh493V4dIh4eXh1h4kJUI", 1, 32, 32, 32,
                [64, 78, 113, 255, 66, 79, 114, 255], [0, 4, 39, 255, 0, 4, 40, 255]
            ),
            (
                "3OcRJYB4d3h/iIeHeEh3eIhw+j3A", 0.68, 8, 5, 8,
                [131, 143, 166, 255, 137, 149, 175, 255], [56, 68, 18, 255, 79, 91, 40, 255]
            ),
            (
                "HBkSHYSIeHiPiHh8eJd4eTN0EEQG", 1.5, 6, 6, 4,
                [194, 233, 247, 255, 194, 220, 220, 255], [115, 99, 68, 255, 93, 82, 59, 255]
            ),
        ] as [(String, Double, Int, Int, Int, [Int], [Int])])
    func `the pixels are those of the gallery`(
        base64: String, aspectRatio: Double, side: Int, width: Int, height: Int, first: [Int],
        last: [Int]
    ) throws {
        let hash = try #require(ThumbHash(base64: base64))
        let pixels = hash.pixels(side: side, aspectRatio: aspectRatio)
        #expect((pixels.width, pixels.height) == (width, height))
        #expect(pixels.bytes.count == width * height * 4)
        let ends = zip(pixels.bytes.prefix(8) + pixels.bytes.suffix(8), first + last)
        for (seen, known) in ends { #expect(abs(Int(seen) - known) <= 1) }
        #expect(!hash.hasAlpha)
    }

    @Test func `the average color is that of the whole picture`() throws {
        let hash = try #require(ThumbHash(base64: "1QcSHQRnh493V4dIh4eXh1h4kJUI"))
        let color = hash.averageColor
        // light 1/3, yellow −1/63, red 1/63
        let blue = 1.0 / 3 + 2.0 / 3 / 63
        let red = (1 - blue + 1.0 / 63) / 2
        #expect(abs(color.blue - blue) < 1e-9 && abs(color.red - red) < 1e-9)
        #expect(abs(color.green - (red - 1.0 / 63)) < 1e-9 && color.opacity == 1)
    }

    @Test(arguments: ["", "AAAA", "1QcSHQ", "not base64!", "1QcSHQRnh493V4dIh4eXh1h4"])
    func `a text that is not a hash has no picture`(text: String) {
        #expect(ThumbHash(base64: text) == nil)
    }

    @Test func `hashes of any bytes end`() {
        for seed in 0..<60 {
            let bytes = (0..<seed % 40).map { UInt8(truncatingIfNeeded: seed &* 31 &+ $0 &* 97) }
            guard let hash = ThumbHash(bytes) else { continue }
            let pixels = hash.pixels()
            #expect(pixels.bytes.count == pixels.width * pixels.height * 4)
            #expect(max(pixels.width, pixels.height) == 32)
        }
    }
}
