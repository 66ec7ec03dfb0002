import CPixels

/// Evan Wallace's ThumbHash: a blurred picture in about 25 bytes, shown while the real one loads.
///
/// <https://evanw.github.io/thumbhash/>. The bits are those of the published algorithm in double
/// precision.
enum ThumbHash {
    /// The largest side of a picture that is hashed, in pixels.
    static let maxSide = 100

    static func encode(_ pixels: PixelBuffer) -> [UInt8] {
        precondition(max(pixels.width, pixels.height) <= maxSide)
        let channels = Channels(pixels)
        let (width, height) = (pixels.width, pixels.height)
        let longer = Double(max(width, height))
        // With alpha there is less room for brightness.
        let limit = channels.hasAlpha ? 5.0 : 7.0
        let across = max(1, rounded(limit * Double(width) / longer))
        let down = max(1, rounded(limit * Double(height) / longer))
        func terms(_ channel: [Double], _ nx: Int, _ ny: Int) -> Terms {
            Terms(channel, width: width, height: height, nx: nx, ny: ny)
        }
        let brightness = terms(channels.brightness, max(3, across), max(3, down))
        let yellowBlue = terms(channels.yellowBlue, 3, 3)
        let redGreen = terms(channels.redGreen, 3, 3)
        let isLandscape = width > height
        var bits = BitWriter()
        bits.add(rounded(63 * brightness.mean), 6)
        bits.add(rounded(31.5 + 31.5 * yellowBlue.mean), 6)
        bits.add(rounded(31.5 + 31.5 * redGreen.mean), 6)
        bits.add(rounded(31 * brightness.scale), 5)
        bits.add(channels.hasAlpha ? 1 : 0, 1)
        bits.add(isLandscape ? down : across, 3)
        bits.add(rounded(63 * yellowBlue.scale), 6)
        bits.add(rounded(63 * redGreen.scale), 6)
        bits.add(isLandscape ? 1 : 0, 1)
        var varying = brightness.varying + yellowBlue.varying + redGreen.varying
        if channels.hasAlpha {
            let alpha = terms(channels.alpha, 5, 5)
            bits.add(rounded(15 * alpha.mean), 4)
            bits.add(rounded(15 * alpha.scale), 4)
            varying += alpha.varying
        }
        for term in varying { bits.add(rounded(15 * term), 4) }
        return bits.bytes
    }

    /// Rounds halves upwards, as JavaScript does.
    private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
}

/// A picture as brightness, yellow against blue, red against green, and alpha, over its mean color.
private struct Channels {
    var brightness: [Double]
    var yellowBlue: [Double]
    var redGreen: [Double]
    var alpha: [Double]
    var hasAlpha = false

    init(_ pixels: PixelBuffer) {
        let count = pixels.width * pixels.height
        let bytes = UnsafeBufferPointer(start: pixels.bytes, count: pixels.count)
        let bands = pixels.bands
        let (green, blue) = bands == 1 ? (0, 0) : (1, 2)
        func opacity(_ at: Int) -> Double { bands == 4 ? Double(bytes[at + 3]) / 255 : 1 }
        var mean = (red: 0.0, green: 0.0, blue: 0.0, alpha: 0.0)
        for at in stride(from: 0, to: pixels.count, by: bands) {
            let alpha = opacity(at)
            mean.red += alpha / 255 * Double(bytes[at])
            mean.green += alpha / 255 * Double(bytes[at + green])
            mean.blue += alpha / 255 * Double(bytes[at + blue])
            mean.alpha += alpha
        }
        if mean.alpha > 0 {
            mean.red /= mean.alpha
            mean.green /= mean.alpha
            mean.blue /= mean.alpha
        }
        hasAlpha = mean.alpha < Double(count)
        let zeros = [Double](repeating: 0, count: count)
        (brightness, yellowBlue, redGreen, alpha) = (zeros, zeros, zeros, zeros)
        for index in 0..<count {
            let at = index * bands
            let alpha = opacity(at)
            let r = mean.red * (1 - alpha) + alpha / 255 * Double(bytes[at])
            let g = mean.green * (1 - alpha) + alpha / 255 * Double(bytes[at + green])
            let b = mean.blue * (1 - alpha) + alpha / 255 * Double(bytes[at + blue])
            brightness[index] = (r + g + b) / 3
            yellowBlue[index] = (r + g) / 2 - b
            redGreen[index] = r - g
            self.alpha[index] = alpha
        }
    }
}

/// The cosine terms of a channel.
private struct Terms {
    let mean: Double
    /// The largest of the varying terms.
    let scale: Double
    /// 0…1 within the scale.
    let varying: [Double]

    init(_ channel: [Double], width: Int, height: Int, nx: Int, ny: Int) {
        let count = (0..<ny).reduce(0) { count, cy in
            count + (0..<nx).prefix { $0 * ny < nx * (ny - cy) }.count
        }
        let terms = [Double](unsafeUninitializedCapacity: count) { buffer, filled in
            if let start = buffer.baseAddress {
                pixels_cosine_terms(
                    channel, Int32(width), Int32(height), Int32(nx), Int32(ny), start)
            }
            filled = count
        }
        mean = terms.first ?? 0
        let scale = terms.dropFirst().reduce(0) { max($0, abs($1)) }
        self.scale = scale
        varying = terms.dropFirst().map { scale > 0 ? 0.5 + 0.5 / scale * $0 : $0 }
    }
}

/// Packs numbers into bytes, the lowest bits first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 0

    mutating func add(_ value: Int, _ bits: Int) {
        for bit in 0..<bits {
            if used % 8 == 0 { bytes.append(0) }
            if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(used % 8) }
            used += 1
        }
    }
}
