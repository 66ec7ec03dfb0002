import CPixels
import Testing

/// Serialized because the kernels are chosen for the whole process.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ColorKernelTests {
    /// Samples of a plane without gaps.
    private final class Plane {
        let plane: pixels_plane

        init(_ width: Int, _ height: Int, _ sample: (Int, Int) -> Int = { _, _ in 0 }) {
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
            for index in 0..<width * height {
                memory[index] = UInt8(sample(index % width, index / width))
            }
            plane = pixels_plane(
                samples: memory, width: Int32(width), height: Int32(height), stride: width)
        }

        deinit { plane.samples.deallocate() }

        var bytes: [UInt8] {
            Array(UnsafeBufferPointer(start: plane.samples, count: Int(plane.width * plane.height)))
        }
    }

    private static func noise(_ x: Int, _ y: Int) -> Int {
        (x &* 73 ^ y &* 151 ^ (x &* y) >> 3) & 0xFF
    }

    private static let sizes = [(1, 1), (2, 3), (17, 5), (64, 4), (259, 7), (515, 6)]

    private static func halved(_ side: Int) -> Int { (side + 1) / 2 }

    /// Returns the bytes that all functions make of noise.
    private static func everything(_ width: Int, _ height: Int) -> [[UInt8]] {
        let rgba = (0..<width * height * 4).map { UInt8(noise($0, $0 / 7)) }
        func planes() -> (luma: Plane, blue: Plane, red: Plane) {
            let (across, down) = (halved(width), halved(height))
            return (Plane(width, height), Plane(across, down), Plane(across, down))
        }
        let (one, other, alpha) = (planes(), planes(), Plane(width, height))
        var room = [UInt8](repeating: 0, count: 6 * width)
        for y in stride(from: 0, to: height, by: 2) {
            rgba.withUnsafeBufferPointer { pixels in
                guard let start = pixels.baseAddress else { return }
                let next = min(y + 1, height - 1)
                pixels_rgb_to_planes(
                    start + 3 * y * width, start + 3 * next * width, Int32(y), one.luma.plane,
                    one.blue.plane, one.red.plane)
                _ = pixels_rgba_to_planes(
                    start + 4 * y * width, start + 4 * next * width, Int32(y), other.luma.plane,
                    other.blue.plane, other.red.plane, alpha.plane, &room)
            }
        }
        var rgb = [UInt8](repeating: 0, count: 3 * width * height)
        var straight = [UInt8](repeating: 0, count: 4 * width * height)
        pixels_planes_to_rgb(one.luma.plane, one.blue.plane, one.red.plane, &rgb)
        pixels_planes_to_rgba(
            other.luma.plane, other.blue.plane, other.red.plane, alpha.plane, &straight)
        let flat = planes()
        pixels_flatten_luma(other.luma.plane, alpha.plane, 200, flat.luma.plane)
        pixels_flatten_chroma(other.blue.plane, alpha.plane, 90, flat.blue.plane)
        pixels_weigh_limited_luma(one.luma.plane, alpha.plane)
        pixels_weigh_limited_chroma(one.red.plane, alpha.plane)
        pixels_unlimit_luma(one.luma.plane, one.luma.plane)
        pixels_unlimit_chroma(one.red.plane, one.red.plane)
        return [
            one.luma, one.blue, one.red, other.luma, other.blue, other.red, alpha, flat.luma,
            flat.blue,
        ].map(\.bytes) + [rgb, straight]
    }

    @Test(arguments: sizes) func `every path gives the same bytes`(width: Int, height: Int) {
        defer { pixels_force_path(PIXELS_PATH_BEST) }
        pixels_force_path(PIXELS_PATH_PORTABLE)
        let plain = Self.everything(width, height)
        pixels_force_path(PIXELS_PATH_BEST)
        #expect(Self.everything(width, height) == plain)
    }

    @Test func `full range is the limited one scaled, rounded and cut`() {
        let from = Plane(256, 1) { x, _ in x }
        let (luma, chroma) = (Plane(256, 1), Plane(256, 1))
        pixels_unlimit_luma(from.plane, luma.plane)
        pixels_unlimit_chroma(from.plane, chroma.plane)
        func scaled(_ value: Int, _ range: Double) -> Double { Double(value) * 255 / range }
        for value in 0...255 {
            let bright = min(255, max(0, scaled(value - 16, 219)))
            let color = min(255, max(0, 128 + scaled(value - 128, 224)))
            #expect(abs(Double(luma.bytes[value]) - bright) <= 0.5)
            #expect(abs(Double(chroma.bytes[value]) - color) <= 0.5)
        }
    }

    /// Colors by formula, of two rows that are alike.
    @Test(arguments: [0, 1, 77, 128, 254, 255])
    func `colors are weighed by their alpha, laid over a ground and made straight again`(
        alpha: Int
    ) {
        // 180 and 60 in the limited range.
        let (luma, blue) = (Plane(4, 2) { _, _ in 171 }, Plane(2, 1) { _, _ in 68 })
        let a = Plane(4, 2) { _, _ in alpha }
        let part = Double(alpha) / 255
        pixels_weigh_limited_luma(luma.plane, a.plane)
        pixels_weigh_limited_chroma(blue.plane, a.plane)
        #expect(abs(Double(luma.bytes[3]) - 180 * part) <= 0.5)
        #expect(abs(Double(blue.bytes[1]) - (128 - 68 * part)) <= 0.51)
        let (bright, color) = (Plane(4, 2), Plane(2, 1))
        pixels_flatten_luma(luma.plane, a.plane, 30, bright.plane)
        pixels_flatten_chroma(blue.plane, a.plane, 200, color.plane)
        #expect(abs(Double(bright.bytes[3]) - (180 * part + 30 * (1 - part))) <= 1)
        #expect(abs(Double(color.bytes[1]) - (60 * part + 200 * (1 - part))) <= 1.1)
        pixels_straight_luma(luma.plane, a.plane, bright.plane)
        withExtendedLifetime(a) { pixels_straight_chroma(blue.plane, a.plane, color.plane) }
        let (wantedLuma, wantedColor) = alpha == 0 ? (0, 128) : (180, 60)
        // What weighing has rounded off can't come back.
        let loss = alpha == 0 ? 0 : 0.5 / part + 0.5
        #expect(abs(Double(bright.bytes[3]) - Double(wantedLuma)) <= loss)
        #expect(abs(Double(color.bytes[1]) - Double(wantedColor)) <= loss)
    }

    @Test func `a color is weighed by the mean alpha of its pixels, also at an odd end`() {
        let alpha = Plane(3, 3) { x, y in [[255, 0, 100], [255, 0, 50], [0, 255, 200]][y][x] }
        let color = Plane(2, 2) { _, _ in 255 }
        withExtendedLifetime(alpha) { pixels_weigh_limited_chroma(color.plane, alpha.plane) }
        let parts = [510, 300, 510, 800].map { Double($0) / 1_020 }
        for (sample, part) in zip(color.bytes, parts) {
            #expect(abs(Double(sample) - (128 + 127 * part)) <= 0.51)
        }
    }

    @Test func `only planes of 255 are opaque`() {
        for at in [-1, 0, 69, 209] {
            let plane = Plane(70, 3) { x, y in y * 70 + x == at ? 254 : 255 }
            withExtendedLifetime(plane) {
                #expect(pixels_is_opaque_plane(plane.plane) == (at < 0 ? 1 : 0))
            }
        }
    }
}
