import Foundation
import TestSupport
import Testing

@testable import Imaging

private let collection = ProcessInfo.processInfo.environment["VITRINE_SHARED"].map {
    URL(filePath: $0).appending(path: "images")
}

/// A collection of odd pictures, in `images` below the directory that `VITRINE_SHARED` names.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: collection != nil, "VITRINE_SHARED names no directory with more pictures"))
struct SharedImagesTests {
    /// Returns the rows of a table without its heading; empty if the file doesn't exist.
    private static func rows(_ file: String) -> [[String]] {
        guard let file = collection?.appending(path: file),
            let table = try? String(contentsOf: file, encoding: .utf8)
        else { return [] }
        return table.split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: #require(collection).appending(path: path)))
    }

    struct Sample: Sendable {
        let x: Int
        let y: Int
        /// Red, green, blue, alpha; nil is any value.
        let rgba: [Int?]
        let tolerance: Int
    }

    struct Expected: Sendable, CustomTestStringConvertible {
        let path: String
        let size: PixelSize
        let samples: [Sample]
        var testDescription: String { path }
    }

    private static let expected: [Expected] =
        Dictionary(grouping: rows("EXPECTED.tsv").filter { !$0[0].hasSuffix(".ico") }) { $0[0] }
        .compactMap { path, rows in
            let numbers = rows.map { $0.dropFirst().map { Int($0) } }
            guard let first = numbers.first, let width = first[0], let height = first[1] else {
                return nil
            }
            let samples = numbers.compactMap { row -> Sample? in
                guard let x = row[2], let y = row[3], let tolerance = row[8] else { return nil }
                return Sample(x: x, y: y, rgba: Array(row[4..<8]), tolerance: tolerance)
            }
            return Expected(
                path: path, size: PixelSize(width: width, height: height), samples: samples)
        }

    @Test func `the collection has its two lists`() {
        #expect(!Self.expected.isEmpty)
        #expect(!Self.listed.isEmpty)
    }

    @Test(.enabled(if: Slow.isOn), arguments: expected)
    func `thumbnails show the colors that two other decoders agree on`(expected: Expected) throws {
        let original = try Self.bytes(expected.path)
        let pixels = try DecodedPixels(original) { _ in expected.size }
        for sample in expected.samples {
            let got = pixels.rgba(sample.x, sample.y)
            for (got, want) in zip(got, sample.rgba) {
                if let want { #expect(abs(got - want) <= sample.tolerance, "\(sample)") }
            }
        }
    }

    /// A row of the list.
    struct Listed: Sendable, CustomTestStringConvertible {
        let path: String
        /// As seen; nil if the list doesn't know it.
        let size: PixelSize?
        let isThumbnail: Bool
        let mayBeEither: Bool
        let isOpaque: Bool
        var testDescription: String { path }
    }

    private static let listed: [Listed] = rows("MANIFEST.tsv").map { row in
        let notes = row[7]
        let turned = notes.firstRange(of: "after auto-orient ").map {
            notes[$0.upperBound...].prefix { $0 == "x" || $0.isNumber }.split(separator: "x")
        }
        // Turned by EXIF, which the list doesn't say.
        let isTurned = row[0] == "features/exif/cmyk-orientation.jpg"
        let sides =
            isTurned ? [] : (turned?.map(String.init) ?? [row[2], row[3]]).compactMap { Int($0) }
        return Listed(
            path: row[0],
            size: sides.count == 2 ? PixelSize(width: sides[0], height: sides[1]) : nil,
            isThumbnail: row[6] == "thumbnail",
            mayBeEither: notes.contains("also acceptable"),
            isOpaque: row[4].hasPrefix("3x") || row[4].hasPrefix("1x"))
    }

    private static let renditions = ThumbnailFormat.allCases.map {
        Rendition(level: Level(name: "xs", width: 64, height: 4_096), format: $0)
    }

    @Test(.enabled(if: Slow.isOn), arguments: listed)
    func `each picture of the collection is rendered or refused as its list says`(listed: Listed)
        async throws
    {
        let original = try Self.bytes(listed.path)
        let renderer = try Renderer(.patient)
        let result: Result<Rendering, ImagingError>
        do throws(ImagingError) {
            result = .success(try await renderer.render(original, Self.renditions))
        } catch {
            result = .failure(error)
        }
        await renderer.shutdown()
        switch result {
        case .success(let rendering):
            #expect(listed.isThumbnail || listed.mayBeEither)
            try check(rendering, listed)
        case .failure(let error):
            #expect(!listed.isThumbnail || listed.mayBeEither, "\(error)")
            // Words of decoders' authors.
            for word in ["/proc/", "libpng", "Jxl", "iloc", "VIPS", "gives no reason", "scanline"] {
                #expect(!error.description.contains(word), "\(error)")
            }
            #expect(isForPeople(error), "\(error)")
        }
    }

    private func isForPeople(_ error: ImagingError) -> Bool {
        switch error {
        case .notAnImage, .unsupported, .broken, .overLimit:
            let text = error.description
            return text.hasSuffix(".") && text.count < 300 && !text.contains("\n")
        // An SVG bomb ends when its child is stopped.
        case .tooSlow: return true
        case .overloaded, .canceled, .stopped, .misconfigured, .crashed, .quarantined:
            return false
        }
    }

    private func check(_ rendering: Rendering, _ listed: Listed) throws {
        let png = try DecodedPixels(try #require(rendering.thumbnails.last).bytes)
        if let size = listed.size?.fitting(Self.renditions[0].level) {
            #expect(png.size == size)
        }
        #expect(!listed.isOpaque || !rendering.info.hasAlpha)
        for thumbnail in rendering.thumbnails {
            let pixels = try DecodedPixels(thumbnail.bytes)
            #expect(pixels.size == png.size)
            #expect((thumbnail.width, thumbnail.height) == (png.size.width, png.size.height))
            if thumbnail.rendition.format == .jpeg {
                #expect(pixels.buffer.bands == 3 || pixels.buffer.bands == 1)
                continue
            }
            let means = zip(pixels.means, png.means)
            #expect(
                means.allSatisfy { abs($0 - $1) < 8 },
                "\(thumbnail.rendition.format) \(pixels.means) \(png.means)")
        }
    }

    @Test(
        arguments: [
            "broken/svg-href-http.svg", "broken/svg-href-relative.svg",
        ].filter { path in listed.contains { $0.path == path } })
    func `an SVG shows nothing of what it refers to`(path: String) throws {
        let pixels = try DecodedPixels(try Self.bytes(path)) { _ in
            PixelSize(width: 64, height: 32)
        }
        #expect(pixels.rgba(32, 16) == [0, 255, 0, 255])
    }
}
