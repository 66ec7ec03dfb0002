import CNoise
import Foundation
import Imaging

/// Pictures for benchmarks: as large as real ones, and as hard to compress. Equal seeds give equal bytes
/// with the same version of librsvg, fonts and libjpeg.
package struct Corpus: Sendable {
    /// One kind of picture.
    package enum Kind: String, Sendable, CaseIterable {
        case posters, covers, large, huge

        var pixels: (width: Int, height: Int) {
            switch self {
            case .posters: (680, 1_000)
            case .covers: (640, 640)
            case .large: (2_000, 3_000)
            case .huge: (6_000, 4_500)
            }
        }

        /// Of real files, which these resemble: bytes of the one in the middle.
        package var medianBytes: Int {
            switch self {
            case .posters: 112_000
            case .covers: 84_000
            case .large: 1_300_000
            case .huge: 8_000_000
            }
        }

        var quality: Int {
            switch self {
            case .posters: 88
            case .covers, .large: 90
            case .huge: 93
            }
        }
    }

    let seed: UInt64

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// One of `count` pictures of a kind, as a JPEG. Blocks for up to some seconds.
    package func picture(_ kind: Kind, _ index: Int, of count: Int) throws -> [UInt8] {
        try drawn(kind, index, of: count).file
    }

    /// A picture with its pixels before they were encoded.
    func drawn(
        _ kind: Kind, _ index: Int, of count: Int
    ) throws -> (canvas: Canvas, file: [UInt8]) {
        var random = SeededRandom(seed: seed, 40, SeededRandom.salt(kind.rawValue), UInt64(index))
        let motif = random.pick(Motif.list("corpus \(kind.rawValue)"))
        let words = Words.text("music.albums", &random)
        let picture = Picture(
            motif,
            words: ["title": words, "artist": words, "credits": "A picture for benchmarks"],
            shape: kind.pixels, random)
        random = picture.random
        let clean = try picture.drawing(width: kind.pixels.width, height: kind.pixels.height)
        return try textured(
            clean, seed: random.next(), quality: kind.quality,
            bytes: Double(kind.medianBytes) * spread(kind, index, of: count))
    }

    /// Factors from 0.6 to 1.67 in an order of their own, half of them below 1.
    private func spread(_ kind: Kind, _ index: Int, of count: Int) -> Double {
        var random = SeededRandom(seed: seed, 41, SeededRandom.salt(kind.rawValue))
        var ranks = Array(0..<max(count, 1))
        for last in ranks.indices.reversed() {
            ranks.swapAt(last, random.integer(in: 0...last))
        }
        let rank = (Double(ranks[index % ranks.count]) + 0.5) / Double(ranks.count)
        return pow(1.67, rank * 2 - 1)
    }

    /// The drawing with as much texture and grain as makes a file of about so many bytes.
    private func textured(
        _ clean: Canvas, seed: UInt64, quality: Int, bytes wanted: Double
    ) throws -> (canvas: Canvas, file: [UInt8]) {
        let size = (Int32(clean.width), Int32(clean.height))
        var (low, high, strength) = (0.0, 0.3, 0.02)
        var (canvas, file) = (clean, [UInt8]())
        for _ in 0..<9 {
            canvas = try Canvas(width: clean.width, height: clean.height)
            canvas.withPixels { to in
                clean.withPixels { from in _ = to.update(fromContentsOf: from) }
            }
            canvas.withPixels { pixels in
                guard let start = pixels.baseAddress else { return }
                noise_patches(
                    start, size.0, size.1, seed, Double(size.1) / 6, 0.06 + strength, 7)
                noise_grain(start, size.0, size.1, seed, strength)
            }
            file = try canvas.encodeJPEG(quality: quality)
            let share = Double(file.count) / wanted
            if (0.95...1.05).contains(share) { break }
            if share > 1 { high = strength } else { low = strength }
            let guess = strength * (share > 1 ? 0.75 : 1.35)
            strength = guess > low && guess < high ? guess : (low + high) / 2
        }
        return (canvas, file)
    }
}
