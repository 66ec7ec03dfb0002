import CPixels
import Foundation
import Testing

@testable import Imaging

@Suite(.serialized, .timeLimit(.minutes(1))) struct ResamplerTests {
    private func buffer(
        _ width: Int, _ height: Int, _ bands: Int, _ sample: (Int, Int, Int) -> Int
    ) throws -> PixelBuffer {
        let buffer = try PixelBuffer(width: width, height: height, bands: bands)
        for y in 0..<height {
            for x in 0..<width {
                for band in 0..<bands {
                    buffer.bytes[(y * width + x) * bands + band] = UInt8(sample(x, y, band))
                }
            }
        }
        return buffer
    }

    private func bytes(_ buffer: PixelBuffer) -> [UInt8] {
        Array(UnsafeBufferPointer(start: buffer.bytes, count: buffer.count))
    }

    private func noise(_ x: Int, _ y: Int, _ band: Int) -> Int {
        let (a, b, c) = (x * 73, y * 151, band * 29)
        return (a ^ b ^ c ^ (x * y) >> 3) & 0xFF
    }

    private static let sizes: [(Int, Int, Int, Int)] = [
        (64, 64, 32, 32), (100, 70, 33, 17), (7, 5, 3, 2), (1, 1, 1, 1), (2, 300, 1, 11),
        (300, 2, 11, 1), (640, 31, 639, 30), (33, 33, 33, 20), (33, 33, 20, 33), (5, 5, 12, 9),
        (2000, 9, 3, 3), (9, 2000, 3, 3), (257, 129, 16, 16),
    ]

    @Test(arguments: sizes, [1, 3, 4])
    func `vector and portable kernels give the same pixels`(
        size: (Int, Int, Int, Int), bands: Int
    ) throws {
        let from = try buffer(size.0, size.1, bands, noise)
        let fast = bytes(try from.resampled(width: size.2, height: size.3))
        pixels_force_portable(1)
        defer { pixels_force_portable(0) }
        #expect(bytes(try from.resampled(width: size.2, height: size.3)) == fast)
    }

    @Test(arguments: [1, 3, 4])
    func `rows pushed one by one give the same pixels as all at once`(bands: Int) throws {
        let from = try buffer(90, 121, bands, noise)
        let whole = bytes(try from.resampled(width: 31, height: 40))
        let to = try PixelBuffer(width: 31, height: 40, bands: bands)
        let resampler = try #require(
            pixels_resampler_new(90, 121, Int32(bands), 90, 121, to.bytes, 31, 40))
        for y in 0..<121 {
            pixels_resampler_push(resampler, from.bytes + y * from.stride, from.stride, 1)
        }
        pixels_resampler_free(resampler)
        #expect(bytes(to) == whole)
    }

    @Test(arguments: sizes, [1, 3, 4])
    func `a picture of one color stays that color`(size: (Int, Int, Int, Int), bands: Int) throws {
        let color = [201, 17, 255, 128]
        let from = try buffer(size.0, size.1, bands) { _, _, band in color[band] }
        let to = try from.resampled(width: size.2, height: size.3)
        for index in 0..<to.count {
            #expect(abs(Int(to.bytes[index]) - color[index % bands]) <= (bands == 4 ? 1 : 0))
        }
    }

    /// The definition, in double precision, without separating rows and columns.
    private func reference(_ from: PixelBuffer, _ width: Int, _ height: Int) -> [Double] {
        func weights(_ from: Int, _ to: Int, _ i: Int) -> [Double] {
            let scale = Double(from) / Double(to)
            let wide = max(scale, 1)
            let center = (Double(i) + 0.5) * scale
            let all = (0..<from).map { lanczos((Double($0) + 0.5 - center) / wide) }
            let sum = all.reduce(0, +)
            return all.map { $0 / sum }
        }
        let across = (0..<width).map { weights(from.width, width, $0) }
        return (0..<height).flatMap { y -> [Double] in
            let down = weights(from.height, height, y)
            return across.flatMap { across -> [Double] in
                (0..<from.bands).map { band in
                    var sum = 0.0
                    for (v, wv) in down.enumerated() where wv != 0 {
                        for (u, wu) in across.enumerated() where wu != 0 {
                            let sample = from.bytes[v * from.stride + u * from.bands + band]
                            sum += wv * wu * Double(sample)
                        }
                    }
                    return min(max(sum, 0), 255)
                }
            }
        }
    }

    private func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= 3 { return 0 }
        let angle = Double.pi * x
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }

    @Test(arguments: [(61, 47, 20, 13), (40, 40, 39, 38), (30, 30, 4, 29), (12, 9, 12, 5)])
    func `the resampler is Lanczos3 to within rounding`(size: (Int, Int, Int, Int)) throws {
        let from = try buffer(size.0, size.1, 3, noise)
        let got = bytes(try from.resampled(width: size.2, height: size.3))
        let want = reference(from, size.2, size.3)
        for (got, want) in zip(got, want) { #expect(abs(Double(got) - want) < 1) }
    }

    @Test func `a transparent pixel's color does not bleed into its neighbors`() throws {
        let from = try buffer(40, 40, 4) { x, _, band in
            // Opaque white to the left, transparent black to the right.
            x < 20 ? 255 : 0
        }
        let to = try from.resampled(width: 10, height: 10)
        for index in 0..<100 where to.bytes[4 * index + 3] > 8 {
            for band in 0..<3 { #expect(to.bytes[4 * index + band] >= 250) }
        }
    }

    @Test func `a fraction of the last sample can be excluded`() throws {
        // A ramp over 20 samples of which 16.5 are the picture: the result spans the same ramp.
        let from = try buffer(20, 1, 1) { x, _, _ in x * 10 }
        let to = try PixelBuffer(width: 4, height: 1, bands: 1)
        let resampler = try #require(pixels_resampler_new(20, 1, 1, 16.5, 1, to.bytes, 4, 1))
        pixels_resampler_push(resampler, from.bytes, 20, 1)
        pixels_resampler_free(resampler)
        // Centers at 2.0625, 6.1875, … samples, half a sample before the ramp's value.
        let want = (0..<4).map { index -> Double in ((Double(index) + 0.5) * 16.5 / 4 - 0.5) * 10 }
        for index in 1..<3 { #expect(abs(Double(to.bytes[index]) - want[index]) < 2) }
    }

    @Test(arguments: 1...8)
    func `pixels are turned and mirrored by the EXIF orientation`(value: Int) throws {
        // What is stored as a 3 × 2 picture, rows from the top.
        let stored = try buffer(3, 2, 1) { x, y, _ in y * 3 + x + 1 }
        let seen: [Int: [UInt8]] = [
            1: [1, 2, 3, 4, 5, 6], 2: [3, 2, 1, 6, 5, 4], 3: [6, 5, 4, 3, 2, 1],
            4: [4, 5, 6, 1, 2, 3], 5: [1, 4, 2, 5, 3, 6], 6: [4, 1, 5, 2, 6, 3],
            7: [6, 3, 5, 2, 4, 1], 8: [3, 6, 2, 5, 1, 4],
        ]
        let turned = try stored.oriented(Orientation(exif: value))
        #expect(turned.width == (value >= 5 ? 2 : 3))
        #expect(bytes(turned) == seen[value])
    }

    @Test func `turning works across tiles of the kernel`() throws {
        let from = try buffer(70, 45, 3, noise)
        let there = try from.oriented(.turnedRight)
        #expect(bytes(try there.oriented(.turnedLeft)) == bytes(from))
    }

    @Test func `transparent pixels are flattened on the background`() throws {
        let from = try buffer(1, 1, 4) { _, _, band in [200, 100, 0, 51][band] }
        let flat = try from.flattened(on: RGB(red: 0, green: 255, blue: 100))
        #expect(bytes(flat) == [40, 224, 80])
    }
}
