import Foundation
import Imaging
import TestSupport

/// Good pictures of every format that can be made by code, and files of a directory.
enum Seeds {
    /// Larger files are mostly pixels: they cost time and find nothing more.
    private static let largest = 256 << 10

    static func drawn(_ renderer: Renderer) async throws -> [[UInt8]] {
        let yellow = RGB(red: 255, green: 220, blue: 0)
        let blue = RGB(red: 9, green: 99, blue: 200)
        let jpeg = FixtureImages.jpeg(width: 96, height: 64)
        let level = Level(name: "seed", width: 48, height: 48)
        let renditions = ThumbnailFormat.allCases.map { Rendition(level: level, format: $0) }
        let encoded = try await renderer.render(jpeg, renditions).thumbnails
        var seeds = encoded.map(\.bytes)
        let shapes = FixtureImages.png(width: 64, height: 48, .rgba) { x, y, band in
            band == 3 ? x * 4 : x * y + 60 * band
        }
        let transparent = try await renderer.render(shapes, renditions).thumbnails
        seeds += transparent.map(\.bytes)
        for thumbnail in encoded + transparent where thumbnail.rendition.format == .webp {
            let size = (thumbnail.width, thumbnail.height)
            let profile = FixtureImages.adobeProfile
            seeds.append(FixtureImages.webp(thumbnail.bytes, size: size, profile: profile))
        }
        for thumbnail in encoded where thumbnail.rendition.format == .avif {
            seeds.append(FixtureImages.avif(thumbnail.bytes, quarters: 1, mirror: 1))
        }
        seeds += FixtureImages.TIFFKind.allCases.map {
            FixtureImages.tiff(width: 9, height: 7, $0, entries: [(274, 6)])
        }
        let tile = Rendition(level: Level(name: "tile", width: 64, height: 64), format: .avif)
        let square = FixtureImages.png(width: 64, height: 64) { x, y, _ in x * y }
        let parts =
            [FixtureImages.HEIFPart.hevc]
            + (try await renderer.render(square, [tile]).thumbnails.map {
                .av1(of: $0.bytes, width: 64, height: 64)
            })
        for part in parts {
            seeds += [
                // Its tile says that it covers more than it does.
                FixtureImages.heif(
                    part, .grid(width: 240, height: 180, columns: 1, rows: 1), said: (240, 180)),
                FixtureImages.heif(part, .grid(width: 128, height: 100, columns: 2, rows: 2)),
                FixtureImages.heif(
                    part, .overlay(width: 90, height: 80, places: [(0, 0), (26, 16)])),
                FixtureImages.heif(part, .crop([32, 1, 48, 1, 0, 1, 0, 1])),
                FixtureImages.heif(part, .alpha(width: 64, height: 64)),
            ]
        }
        let canvas = FixtureImages.canvas(width: 96, height: 64)
        let tiles = "pyramid,tile,tile_width=16,tile_height=16,compression=lzw"
        seeds += [
            // With a profile of its own.
            try canvas.file(".jpg[Q=80]", .ink),
            try canvas.file(".tif[\(tiles)]"), try canvas.file(".tif[\(tiles),subifd]"),
        ]
        let swapped = FixtureImages.swappedProfile
        return seeds + [
            jpeg, FixtureImages.jpeg(jpeg, orientation: 6),
            FixtureImages.jpeg(jpeg, profile: swapped),
            FixtureImages.jpeg(jpeg, profile: FixtureImages.adobeProfile),
            FixtureImages.cmykJPEG(width: 16, height: 24, ink: [200, 10, 90, 30]),
            FixtureImages.webp(width: 64, height: 96),
            FixtureImages.png(width: 20, height: 16, .rgba) { x, y, band in x * y + band },
            FixtureImages.png(width: 20, height: 16, .gray, depth: 16) { x, y, _ in x * y * 99 },
            FixtureImages.png(
                width: 8, height: 9, chunks: [("iCCP", FixtureImages.iccp(swapped))]
            ) { x, y, _ in x * y },
            FixtureImages.png(
                width: 21, height: 17, .gray,
                chunks: [("iCCP", FixtureImages.iccp(FixtureImages.linearGrayProfile))]
            ) { x, y, _ in x * y },
            FixtureImages.gif(
                width: 30, height: 20, colors: (yellow, blue), frames: [0, 1, 0], transparent: 1),
            FixtureImages.bmp(
                width: 5, height: -4, bits: 24, pixels: [UInt8](repeating: 99, count: 64)),
            FixtureImages.bmp(
                width: 8, height: 2, bits: 8, compression: 1, palette: [[1, 2, 3], [250, 9, 9]],
                pixels: [8, 0, 0, 0, 3, 1, 0, 3, 0, 1, 0, 0, 2, 1, 0, 1]),
            FixtureImages.exr(
                width: 6, height: 5, channels: ["B", "G", "R"],
                halves: [UInt16](repeating: 0x3800, count: 90)),
            FixtureImages.radiance(
                size: "-Y 2 +X 3", pixels: (0..<6).flatMap { [128, UInt8($0), 9, 129] }),
            FixtureImages.jxl, FixtureImages.jxlContainer, FixtureImages.jxlWithAlpha,
            FixtureImages.deepJXL, FixtureImages.floatJPEGXL, FixtureImages.deepHEIC,
            FixtureImages.jpeg2000, FixtureImages.largeJPEG2000, Array(svg.utf8),
        ]
    }

    /// Every file below the directory that is not too large, in the order of their paths.
    static func files(in directory: String) throws -> [[UInt8]] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory).sorted()
        return try paths.compactMap { path in
            let whole = "\(directory)/\(path)"
            let attributes = try FileManager.default.attributesOfItem(atPath: whole)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                let size = attributes[.size] as? Int, size <= largest
            else { return nil }
            return [UInt8](try Data(contentsOf: URL(filePath: whole)))
        }
    }

    private static let svg = """
        <svg xmlns="http://www.w3.org/2000/svg" width="90" height="60" viewBox="0 0 90 60">
        <defs><linearGradient id="g"><stop stop-color="#f00"/><stop offset="1"/></linearGradient>
        <filter id="f"><feGaussianBlur stdDeviation="2"/></filter></defs>
        <g transform="rotate(9)"><rect width="50" height="40" fill="url(#g)"/></g>
        <circle r="20" cx="30" cy="30" filter="url(#f)"/><use href="#t" x="5"/>
        <text id="t" x="9" y="40" font-size="30">Text</text></svg>
        """
}
