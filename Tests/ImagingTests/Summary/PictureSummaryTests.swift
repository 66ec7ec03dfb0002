import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PictureSummaryTests {
    private func summary(
        _ original: [UInt8], _ levels: [Level] = Level.defaults
    ) async throws -> PictureSummary {
        var configuration = ImagingConfiguration.patient
        configuration.threads = 1
        let renderer = try Renderer(configuration)
        let rendering = try await renderer.render(
            original, levels.map { Rendition(level: $0, format: .jpeg) })
        await renderer.shutdown()
        return rendering.summary
    }

    @Test func `a rendering has a summary with the exact size of the original as seen`()
        async throws
    {
        let canvas = try Canvas(
            width: 301, height: 200, fill: RGB(red: 30, green: 90, blue: 160))
        canvas.circle(x: 150, y: 100, radius: 50, color: RGB(red: 240, green: 200, blue: 20))
        let jpeg = try canvas.encodeJPEG(quality: 92)
        let upright = try await summary(jpeg)
        #expect((upright.width, upright.height) == (301, 200))
        let turned = try await summary(FixtureImages.jpeg(jpeg, orientation: 6))
        #expect((turned.width, turned.height) == (200, 301))
        // Landscape and portrait differ in the hash, too.
        #expect(upright.thumbHash[4] & 0x80 != turned.thumbHash[4] & 0x80)
        #expect(abs(Int(upright.color.blue) - 160) < 8)
        #expect(abs(Int(turned.color.blue) - 160) < 8)
    }

    @Test func `a summary hardly depends on the rendered levels`() async throws {
        let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 4)
        let all = try await summary(original)
        let one = try await summary(original, [Level.defaults[3]])
        let differing = zip(all.thumbHash, one.thumbHash).filter { $0 != $1 }.count
        #expect(all.thumbHash.count == one.thumbHash.count)
        #expect(differing <= 4)
    }

    @Test(arguments: ["#000000", "#0a0b0c", "#ffffff"])
    func `a color is written with six digits and read back`(text: String) throws {
        #expect(try #require(RGB(hex: text)).hex == text)
    }

    @Test(arguments: ["", "000000", "#00000", "#0000000", "#00000g", "#+12345"])
    func `a text other than six hexadecimal digits is not a color`(text: String) {
        #expect(RGB(hex: text) == nil)
    }
}
