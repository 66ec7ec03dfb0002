import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct RenderRequestTests {
    @Test func `shared memory of a request has room for the original and the largest thumbnails`() {
        let encoding = Encoding.png(compression: 0)
        let parts = [(400, 300), (4_000, 3_000)].map { width, height in
            RenderPart(
                rendition: Rendition(
                    level: Level(name: "", width: width, height: height), format: .png),
                encoding: encoding)
        }
        let request = RenderRequest(
            number: 1, input: .original, format: .png, count: 1_001, maxBytes: 1 << 20,
            maxPixels: 1 << 30,
            maxSide: 1 << 16, levels: [], parts: parts)
        // Four bytes a pixel, and more for what an encoder adds.
        #expect(request.thumbnails >= 1_001)
        #expect(request.memory - request.thumbnails > 4 * (400 * 300 + 4_000 * 3_000))
    }
}
