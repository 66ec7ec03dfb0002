import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite struct MemoryTests {
    /// Kilobytes of memory this process really has.
    private func resident() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test func `stays flat over hundreds of pictures`() async throws {
        var configuration = ImagingConfiguration()
        configuration.threads = 2
        let renderer = try Renderer(configuration)
        let renditions = ThumbnailFormat.allCases.map {
            Rendition(level: Level(name: "m", width: 320, height: 480), format: $0)
        }
        let originals = [
            FixtureImages.jpeg(width: 500, height: 400),
            FixtureImages.webp(width: 340, height: 300),
            FixtureImages.png(width: 350, height: 100, .rgba) { x, y, _ in x * y },
            FixtureImages.truncated(FixtureImages.jpeg(width: 400, height: 300)),
        ]
        func renderHundred() async throws {
            for index in 0..<100 {
                do throws(ImagingError) {
                    _ = try await renderer.render(originals[index % 4], renditions)
                } catch {
                    guard index % 4 == 3 else { throw error }
                }
            }
        }
        try await renderHundred()
        // Other tests run beside and take memory as well; but what leaks, leaks each time. A buffer
        // lost with each picture would be 45 MB.
        var growth = Int.max
        for _ in 0..<8 where growth > 12_000 {
            let before = try resident()
            for _ in 0..<3 { try await renderHundred() }
            growth = min(growth, try resident() - before)
        }
        #expect(growth <= 12_000)
        await renderer.shutdown()
    }
}
