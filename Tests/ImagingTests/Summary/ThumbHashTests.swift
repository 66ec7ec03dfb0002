import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct ThumbHashTests {
    /// Pictures by formula and the hashes that an independent implementation of the published
    /// algorithm gives for them, in double precision.
    private static let vectors: [(String, Int, Int, @Sendable (Int, Int) -> [Int], String)] = [
        (
            "portrait", 66, 100, { [$0 * 7 + $1 * 3, $0 * $0 + $1, ($0 ^ $1) * 5] },
            "5e08061504666345778373630887767930e9b5fc77"
        ),
        (
            "landscape", 100, 40, { [$0 * 2, $1 * 5, 255 - (($0 + $1) & 255)] },
            "600506539483878780878787808208f878"
        ),
        (
            "square", 32, 32, { [$0 * 8, $1 * 8, ($0 * $1) >> 2] },
            "d9090e1f1a70778790888887887888888887777780708f08"
        ),
        (
            "transparent", 50, 60, { [$0 * 5, $1 * 4, $0 * $1, $0 * 5 + $1] },
            "603886140e288209a97678862709aaa26f07a274a576887707"
        ),
        (
            "sliver", 100, 1, { x, _ in [x, 2 * x, 255 - x] },
            "dd93390199878787888808788587bf78f8"
        ),
        (
            "clear", 8, 8, { _, _ in [10, 20, 30, 0] },
            "00088205000000000000000000000000000000000000000000"
        ),
        ("gray", 40, 30, { [$0 * 6 + $1] }, "20081a058070777877787887878787870000000000"),
    ]

    private func picture(
        _ width: Int, _ height: Int, _ color: (Int, Int) -> [Int]
    ) throws -> PixelBuffer {
        let bands = color(0, 0).count
        let pixels = try PixelBuffer(width: width, height: height, bands: bands)
        for y in 0..<height {
            for x in 0..<width {
                for (band, value) in color(x, y).enumerated() {
                    pixels.bytes[(y * width + x) * bands + band] = UInt8(value & 255)
                }
            }
        }
        return pixels
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(arguments: vectors.indices)
    func `ThumbHash gives the bits of the published algorithm`(index: Int) throws {
        let (name, width, height, color, expected) = Self.vectors[index]
        let hash = hex(ThumbHash.encode(try picture(width, height, color)))
        #expect(hash == expected, "\(name)")
    }

    @Test func `the ThumbHash of one color begins with that color`() throws {
        // What follows are rounding errors of the system's cosine, which a decoder scales to nothing.
        let hash = ThumbHash.encode(try picture(30, 20) { _, _ in [18, 52, 86] })
        #expect(hex(Array(hash.prefix(5))) == "4db6010580")
    }

    @Test func `the ThumbHash of a drawn picture keeps its mean color`() throws {
        let canvas = try Canvas(
            width: 90, height: 60, fill: RGB(red: 200, green: 120, blue: 40))
        canvas.noise(seed: 1, scale: 20, strength: 0.1)
        let hash = ThumbHash.encode(canvas.buffer)
        let head = Int(hash[0]) | Int(hash[1]) << 8 | Int(hash[2]) << 16
        let brightness = Double(head & 63) / 63
        let yellowBlue = Double(head >> 6 & 63) / 31.5 - 1
        let redGreen = Double(head >> 12 & 63) / 31.5 - 1
        let blue = brightness - 2 / 3 * yellowBlue
        let red = (3 * brightness - blue + redGreen) / 2
        for (found, wanted) in [(red, 200.0), (red - redGreen, 120), (blue, 40)] {
            #expect(abs(found * 255 - wanted) < 12)
        }
        #expect(hash.count <= 25)
    }
}
