import CPixels
import Foundation
import Testing

@testable import Imaging

/// Serialized because the kernels are chosen for the whole process.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PlaneKernelTests {
    /// A plane whose rows have room at the end.
    private final class Plane {
        let plane: pixels_plane

        init(_ width: Int, _ height: Int, _ sample: (Int, Int) -> Int = { _, _ in 0 }) {
            let stride = width + 5
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * height)
            memory.initialize(repeating: 0, count: stride * height)
            for y in 0..<height {
                for x in 0..<width { memory[y * stride + x] = UInt8(sample(x, y)) }
            }
            plane = pixels_plane(
                samples: memory, width: Int32(width), height: Int32(height), stride: stride)
        }

        deinit { plane.samples.deallocate() }

        var bytes: [UInt8] {
            (0..<Int(plane.height)).flatMap { y in
                (0..<Int(plane.width)).map { plane.samples[y * plane.stride + $0] }
            }
        }
    }

    private static func noise(_ x: Int, _ y: Int) -> Int {
        (x &* 73 ^ y &* 151 ^ (x &* y) >> 3) & 0xFF
    }

    private func resampled(
        _ from: Plane, _ width: Int, _ height: Int, offset: Double = 0, scale: Double? = nil,
        by kept: OpaquePointer? = nil
    ) throws -> [UInt8] {
        let to = Plane(width, height)
        let resampler = try #require(kept ?? pixels_plane_resampler_new())
        defer { if kept == nil { pixels_plane_resampler_free(resampler) } }
        let across = pixels_mapping(
            scale: scale ?? Double(from.plane.width) / Double(width), offset: offset)
        let down = pixels_mapping(
            scale: scale ?? Double(from.plane.height) / Double(height), offset: offset)
        // Twice, so that the filter of the first time is used, too.
        for _ in 0..<2 {
            #expect(pixels_resample_plane(resampler, from.plane, across, down, to.plane) == 0)
        }
        return to.bytes
    }

    private static let sizes: [(Int, Int, Int, Int)] = [
        (64, 64, 32, 32), (100, 70, 33, 17), (7, 5, 3, 2), (1, 1, 1, 1), (2, 300, 1, 11),
        (300, 2, 11, 1), (640, 31, 639, 30), (33, 33, 33, 20), (33, 33, 20, 33), (15, 17, 7, 9),
        (2000, 9, 3, 3), (9, 2000, 3, 3), (257, 129, 16, 16), (31, 32, 8, 7), (680, 40, 640, 38),
    ]

    @Test(arguments: sizes) func `every path of the kernels gives the same bytes`(
        size: (Int, Int, Int, Int)
    ) throws {
        defer { pixels_force_path(PIXELS_PATH_BEST) }
        let from = Plane(size.0, size.1, Self.noise)
        let extremes = Plane(size.0, size.1) { x, y in (x + y) % 3 == 0 ? 255 : 0 }
        // One for all: filters are kept for the kernels they were made for.
        let resampler = try #require(pixels_plane_resampler_new())
        defer { pixels_plane_resampler_free(resampler) }
        for plane in [from, extremes] {
            for offset in [0, -0.5] {
                pixels_force_path(PIXELS_PATH_BEST)
                let best = try resampled(plane, size.2, size.3, offset: offset, by: resampler)
                for path in [PIXELS_PATH_AVX2, PIXELS_PATH_SSE2, PIXELS_PATH_PORTABLE] {
                    pixels_force_path(path)
                    let other = try resampled(plane, size.2, size.3, offset: offset, by: resampler)
                    #expect(other == best)
                }
            }
        }
    }

    @Test(arguments: [(61, 47, 20, 13), (40, 40, 39, 38), (100, 90, 31, 88), (50, 60, 50, 30)])
    func `planes are resampled by Lanczos3 to within rounding`(size: (Int, Int, Int, Int)) throws {
        let from = Plane(size.0, size.1, Self.noise)
        let want = Lanczos.resampled(
            from.bytes.map(Double.init), PixelSize(width: size.0, height: size.1), bands: 1,
            to: PixelSize(width: size.2, height: size.3))
        for (got, want) in zip(try resampled(from, size.2, size.3), want) {
            #expect(abs(Double(got) - min(255, max(0, want))) < 1)
        }
    }

    @Test func `an offset moves the samples`() throws {
        // A ramp of 4 a sample: half a sample further is 2 more.
        let from = Plane(60, 60) { x, _ in 4 * x }
        let plain = try resampled(from, 30, 30)
        let moved = try resampled(from, 30, 30, offset: 0.5)
        for x in 5..<25 { #expect(moved[15 * 30 + x] == plain[15 * 30 + x] + 2) }
    }

    @Test func `limited range is the full one scaled and rounded`() {
        let from = Plane(256, 1) { x, _ in x }
        let to = Plane(256, 1)
        pixels_limit_luma(from.plane, to.plane)
        for (value, got) in to.bytes.enumerated() {
            let want: Double = 16 + Double(value) * 219 / 255
            #expect(Double(got) == want.rounded())
        }
        pixels_limit_chroma(from.plane, to.plane)
        for (value, got) in to.bytes.enumerated() {
            let want: Double = 128 + Double(value - 128) * 224 / 255
            #expect(abs(Double(got) - want) <= 0.501)
        }
        #expect(to.bytes[128] == 128)
    }

    @Test func `planes become the colors that JFIF means`() {
        // White, red, green and blue, two by two pixels each.
        let colors = [(255, 128, 128), (76, 85, 255), (150, 44, 21), (29, 255, 107)]
        let luma = Plane(8, 2) { x, _ in colors[x / 2].0 }
        let blue = Plane(4, 1) { x, _ in colors[x].1 }
        let red = Plane(4, 1) { x, _ in colors[x].2 }
        var rgb = [UInt8](repeating: 7, count: 48)
        pixels_planes_to_rgb(luma.plane, blue.plane, red.plane, &rgb)
        let want: [[Int]] = [[255, 255, 255], [254, 0, 0], [0, 255, 1], [0, 0, 254]]
        for index in 0..<16 {
            for band in 0..<3 {
                #expect(abs(Int(rgb[index * 3 + band]) - want[index % 8 / 2][band]) <= 1)
            }
        }
    }

    /// With values of ITU-T T.871, section 7.
    @Test(arguments: [(8, 4), (7, 5), (1, 1), (33, 2)])
    func `RGB becomes the planes that JFIF means`(width: Int, height: Int) {
        func sample(_ x: Int, _ y: Int, _ band: Int) -> Int { (x * 61 + y * 97 + band * 83) % 256 }
        let luma = Plane(width, height)
        let (blue, red) = (
            Plane((width + 1) / 2, (height + 1) / 2), Plane((width + 1) / 2, (height + 1) / 2)
        )
        func row(_ y: Int) -> [UInt8] {
            (0..<3 * width).map { UInt8(sample($0 / 3, y, $0 % 3)) }
        }
        for y in stride(from: 0, to: height, by: 2) {
            pixels_rgb_to_planes(
                row(y), row(min(y + 1, height - 1)), Int32(y), luma.plane, blue.plane, red.plane)
        }
        func near(_ got: UInt8, _ want: Double) -> Bool { abs(Double(got) - want) <= 0.51 }
        for y in 0..<height {
            for x in 0..<width {
                let (r, g, b) = (sample(x, y, 0), sample(x, y, 1), sample(x, y, 2))
                let want: Double = 0.299 * Double(r) + 0.587 * Double(g) + 0.114 * Double(b)
                #expect(near(luma.bytes[y * width + x], want))
            }
        }
        for y in 0..<(height + 1) / 2 {
            for x in 0..<(width + 1) / 2 {
                let columns = [2 * x, min(2 * x + 1, width - 1)]
                let rows = [2 * y, min(2 * y + 1, height - 1)]
                let means = (0..<3).map { (band: Int) -> Double in
                    var sum = 0
                    for row in rows { for column in columns { sum += sample(column, row, band) } }
                    return Double(sum) / 4
                }
                let (r, g, b) = (means[0], means[1], means[2])
                let at = y * ((width + 1) / 2) + x
                let wantBlue: Double = 128 - 0.168736 * r - 0.331264 * g + 0.5 * b
                let wantRed: Double = 128 + 0.5 * r - 0.418688 * g - 0.081312 * b
                #expect(near(blue.bytes[at], wantBlue))
                #expect(near(red.bytes[at], wantRed))
            }
        }
    }

    @Test func `the purest colors stay within a byte`() {
        for color in [[255, 255, 255], [0, 0, 255], [255, 0, 0]] as [[UInt8]] {
            let (luma, blue, red) = (Plane(2, 2), Plane(1, 1), Plane(1, 1))
            pixels_rgb_to_planes(color + color, color + color, 0, luma.plane, blue.plane, red.plane)
            #expect(blue.bytes[0] == (color[2] == 255 && color[0] == 0 ? 255 : blue.bytes[0]))
            #expect(red.bytes[0] == (color[0] == 255 && color[2] == 0 ? 255 : red.bytes[0]))
            #expect(color[1] == 0 || luma.bytes == [255, 255, 255, 255])
        }
    }
}
