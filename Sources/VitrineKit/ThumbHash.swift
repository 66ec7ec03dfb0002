import Foundation

/// Evan Wallace's ThumbHash, the way back: the blurred picture that an item has in about 25 bytes, and shows
/// before its thumbnail is there.
public struct ThumbHash: Sendable, Hashable {
    /// Red, green, blue and opacity of each pixel, row by row, not premultiplied.
    public struct Pixels: Sendable, Hashable {
        public var width: Int
        public var height: Int
        public var bytes: [UInt8]
    }

    /// 0…1.
    public struct Color: Sendable, Hashable {
        public var red: Double
        public var green: Double
        public var blue: Double
        public var opacity: Double
    }

    private let light: Channel
    private let yellowBlue: Channel
    private let redGreen: Channel
    private let opacity: Channel
    public let hasAlpha: Bool
    /// Width through height, coarse. ``Item/aspectRatio`` is exact.
    public let aspectRatio: Double

    /// - Parameter base64: as in ``Item/thumbhash``. Nil if it is not a ThumbHash.
    public init?(base64: String) {
        guard let data = Data(base64Encoded: base64) else { return nil }
        self.init(Array(data))
    }

    public init?(_ bytes: [UInt8]) {
        var bits = Bits(bytes)
        let means = (bits.next(6), bits.next(6), bits.next(6))
        let lightScale = Double(bits.next(5)) / 31
        hasAlpha = bits.next(1) == 1
        let shorter = bits.next(3)
        // A little more color than measured makes up for rounding.
        let yellowScale = Double(bits.next(6)) / 63 * 1.25
        let redScale = Double(bits.next(6)) / 63 * 1.25
        let isLandscape = bits.next(1) == 1
        let longer = hasAlpha ? 5 : 7
        let alpha = hasAlpha ? (Double(bits.next(4)) / 15, Double(bits.next(4)) / 15) : (1, 0)
        let (across, down) = isLandscape ? (longer, shorter) : (shorter, longer)
        aspectRatio = Double(across) / Double(max(1, down))
        light = Channel(
            mean: Double(means.0) / 63, scale: lightScale, max(3, across), max(3, down), &bits)
        yellowBlue = Channel(
            mean: Double(means.1) / 31.5 - 1, scale: yellowScale, 3, 3, &bits)
        redGreen = Channel(mean: Double(means.2) / 31.5 - 1, scale: redScale, 3, 3, &bits)
        opacity =
            hasAlpha
            ? Channel(mean: alpha.0, scale: alpha.1, 5, 5, &bits)
            : Channel(mean: 1, waves: [])
        // Every hash has more bits than this one has read, but not a byte more.
        guard !bits.isExhausted, shorter > 0 else { return nil }
    }

    /// The color of the whole picture, for a place that is too small for more.
    public var averageColor: Color {
        color(light.mean, yellowBlue.mean, redGreen.mean, opacity.mean)
    }

    /// Returns the blurred picture, whose longer side has that many pixels.
    ///
    /// - Parameter aspectRatio: of the picture; nil for the coarse one of the hash.
    public func pixels(side: Int = 32, aspectRatio: Double? = nil) -> Pixels {
        let ratio = aspectRatio.flatMap { $0 > 0 ? $0 : nil } ?? self.aspectRatio
        let longer = Double(max(1, side))
        let width = max(1, Int((ratio >= 1 ? longer : longer * ratio).rounded()))
        let height = max(1, Int((ratio >= 1 ? longer / ratio : longer).rounded()))
        let channels = [light, yellowBlue, redGreen, opacity].map { $0.values(width, height) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        for at in 0..<width * height {
            let color = color(
                channels[0][at], channels[1][at], channels[2][at], channels[3][at])
            for value in [color.red, color.green, color.blue, color.opacity] {
                bytes.append(UInt8((value * 255).rounded()))
            }
        }
        return Pixels(width: width, height: height, bytes: bytes)
    }

    private func color(
        _ light: Double, _ yellowBlue: Double, _ redGreen: Double, _ opacity: Double
    ) -> Color {
        let blue = light - 2 / 3 * yellowBlue
        let red = (3 * light - blue + redGreen) / 2
        func limited(_ value: Double) -> Double { min(1, max(0, value)) }
        return Color(
            red: limited(red), green: limited(red - redGreen), blue: limited(blue),
            opacity: limited(opacity))
    }
}

/// Reads numbers from bytes, the lowest bits first.
private struct Bits {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isExhausted: Bool { at > bytes.count * 8 }

    mutating func next(_ count: Int) -> Int {
        var value = 0
        for bit in 0..<count {
            if at >> 3 < bytes.count { value |= Int(bytes[at >> 3] >> UInt8(at & 7) & 1) << bit }
            at += 1
        }
        return value
    }
}

/// One channel of a picture: its mean, and waves around it.
private struct Channel: Sendable, Hashable {
    let mean: Double
    let waves: [Wave]

    struct Wave: Sendable, Hashable {
        /// How often it goes across and down.
        var across: Int
        var down: Int
        var size: Double
    }

    init(mean: Double, waves: [Wave]) {
        self.mean = mean
        self.waves = waves
    }

    init(mean: Double, scale: Double, _ across: Int, _ down: Int, _ bits: inout Bits) {
        self.mean = mean
        var waves: [Wave] = []
        for y in 0..<down {
            var x = y == 0 ? 1 : 0
            while x * down < across * (down - y) {
                let size = (Double(bits.next(4)) / 7.5 - 1) * scale
                waves.append(Wave(across: x, down: y, size: size))
                x += 1
            }
        }
        self.waves = waves
    }

    /// Returns the channel's values row by row.
    func values(_ width: Int, _ height: Int) -> [Double] {
        let across = Self.cosines(width)
        let down = Self.cosines(height)
        var values: [Double] = []
        values.reserveCapacity(width * height)
        for y in 0..<height {
            var sums = [Double](repeating: 0, count: 8)
            for wave in waves { sums[wave.across] += 2 * wave.size * down[y][wave.down] }
            for x in 0..<width {
                values.append(zip(sums, across[x]).reduce(mean) { $0 + $1.0 * $1.1 })
            }
        }
        return values
    }

    private static func cosines(_ length: Int) -> [[Double]] {
        (0..<length).map { at in
            (0..<8).map { cos(.pi / Double(length) * (Double(at) + 0.5) * Double($0)) }
        }
    }
}
