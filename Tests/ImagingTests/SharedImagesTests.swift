import Foundation
import Testing

@testable import Imaging

/// A collection of odd pictures that may lie beside the project; where it doesn't, there is nothing
/// to do.
@Suite struct SharedImagesTests {
    private static let folder = URL(filePath: #filePath)
        .appending(path: "../../../../shared/images").standardized

    /// Rows of a table without its heading; none where there is no such file.
    private static func rows(_ file: String) -> [[String]] {
        guard let table = try? String(contentsOf: folder.appending(path: file), encoding: .utf8)
        else { return [] }
        return table.split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private static func isRead(_ bytes: [UInt8]) -> Bool {
        ImageFormat.sniff(bytes).map(ImageFormat.read.contains) ?? false
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: path)))
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
        Dictionary(grouping: rows("EXPECTED.tsv")) { $0[0] }.compactMap { path, rows in
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

    @Test(arguments: expected)
    func `shows the colours that two other decoders agree on`(expected: Expected) throws {
        let original = try Self.bytes(expected.path)
        guard Self.isRead(original) else { return }
        let pixels = try DecodedPixels(original) { _ in expected.size }
        for sample in expected.samples {
            let got = pixels.rgba(sample.x, sample.y)
            for (got, want) in zip(got, sample.rgba) {
                if let want { #expect(abs(got - want) <= sample.tolerance, "\(sample)") }
            }
        }
    }

    @Test(
        arguments: rows("MANIFEST.tsv").filter { $0[0].hasPrefix("broken/") }.map { ($0[0], $0[6]) }
    )
    func `refuses what is broken`(path: String, outcome: String) async throws {
        let original = try Self.bytes(path)
        guard Self.isRead(original) || outcome == "reject" else { return }
        let renderer = try Renderer(ImagingConfiguration())
        let rendition = Rendition(
            level: Level(name: "xs", width: 80, height: 120), format: .jpeg)
        do throws(ImagingError) {
            let rendering = try await renderer.render(original, [rendition])
            #expect(outcome == "thumbnail")
            #expect(rendering.thumbnails.count == 1)
        } catch {
            #expect(outcome == "reject", "\(error)")
        }
        await renderer.shutdown()
    }
}
