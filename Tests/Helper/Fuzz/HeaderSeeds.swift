import Imaging
import TestSupport

/// Headers of every format: drawn pictures, headers without one, and files of a directory.
enum HeaderSeeds {
    struct Seed {
        let bytes: [UInt8]
        let format: ImageFormat
    }

    /// Of larger files only so many bytes: what follows is pixels.
    private static let longest = 4_096

    static func all(with directory: String?) async throws -> [Seed] {
        let renderer = try Renderer(ImagingConfiguration())
        var pictures = try await Seeds.drawn(renderer) + written + documents
        await renderer.shutdown()
        if let directory { pictures += try Seeds.files(in: directory) }
        let probe = HeaderProbe(ImagingConfiguration())
        return pictures.compactMap { bytes in
            do throws(ImagingError) {
                let format = try probe.format(of: bytes)
                // Its library reads it.
                if format == .jxl { return nil }
                return Seed(bytes: Array(bytes.prefix(longest)), format: format)
            } catch {
                // A directory may hold anything.
                return nil
            }
        }
    }

    /// Places of items in numbers of 64 bits.
    private static let widePlaces = FixtureImages.box(
        "iloc", full: 2,
        [0x88, 0x88, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0]
            + [UInt8](repeating: 0, count: 8) + [0, 1] + [UInt8](repeating: 0, count: 24))

    /// JPEG 2000 in a box whose length takes 64 bits.
    private static let wideBox: [UInt8] =
        [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 13, 10, 0x87, 10, 0, 0, 0, 1]
        + Array("jp2c".utf8) + [0, 0, 0, 0, 0, 0, 0, 73] + FixtureImages.jp2Codestream(tile: 1)

    /// Documents with lengths in every place, and pictures without their last bytes.
    private static let documents: [[UInt8]] = {
        let svg = """
            <svg xmlns='http://www.w3.org/2000/svg' style='width:9cm' font-size='2em' viewBox='0 0 9,9'>\
            <style>.a1in{r:1in url(#2in) '3in'/*4in*/}</style><rect x='-.5e1mm 2pt' width='50%'/></svg>
            """
        var wide: [UInt8] = [0xFF, 0xFE]
        for unit in svg.utf16 { wide += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)] }
        let sizeless = svg.replacing("style='width:9cm'", with: "width='1e2%'")
        return [
            Array(svg.utf8), Array("<?xml version='1.0'?><!-- a -->\(svg)".utf8), wide,
            Array(sizeless.utf8), Array(FixtureImages.smallProgressiveJPEG.dropLast(2)),
            Array(FixtureImages.smallGIF.dropLast(3)), Array(FixtureImages.smallPNG.dropLast(15)),
            Array(FixtureImages.smallJPEG2000.dropLast(1)),
            FixtureImages.tiff(width: 4, height: 5, entries: [(254, 1), (330, 8)], next: 8),
        ]
    }()

    private static let written: [[UInt8]] =
        [
            FixtureImages.heifGrid, FixtureImages.heifGrid(brand: "heic"),
            FixtureImages.heifGrid(brand: "avif", places: widePlaces),
            FixtureImages.heif(.hevc, .grid(width: 128, height: 100, columns: 2, rows: 2)),
            FixtureImages.heif(.hevc, .overlay(width: 90, height: 80, places: [(0, 0), (26, 16)])),
            FixtureImages.heif(.hevc, .crop([32, 1, 48, 1, 0, 1, 0, 1])),
            FixtureImages.heif(.hevc, .alpha(width: 64, height: 64)),
            FixtureImages.jp2(FixtureImages.jp2Codestream()), FixtureImages.jp2Codestream(),
            FixtureImages.jp2Codestream(tile: 1), wideBox,
            FixtureImages.losslessWebP,
            FixtureImages.extendedWebP(withPrefix: true),
            FixtureImages.extendedWebP(withPrefix: false),
        ]
        + [UInt8(0xC0), 0xC2, 0xC1, 0xC3, 0xC9].map {
            [0xFF, 0xD8, 0xFF, $0, 0, 17, 8, 0, 5, 0, 6, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
        }
        + FixtureImages.TIFFKind.allCases.map {
            FixtureImages.tiff(width: 4, height: 5, $0, entries: [(274, 6)], next: 8)
        }
}
