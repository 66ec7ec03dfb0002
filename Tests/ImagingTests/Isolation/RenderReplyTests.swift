import TestSupport
import Testing

@testable import Imaging

/// What a child sends, which a picture may have taken over.
@Suite(.timeLimit(.minutes(1))) struct RenderReplyTests {
    private static let jpeg = FixtureImages.jpeg(width: 16, height: 16)
    private static let renditions = ["a", "b", "c"].map {
        Rendition(level: Level(name: $0, width: 16, height: 16), format: .jpeg)
    }
    private static var rendering: Rendering {
        let thumbnails = renditions.map {
            Thumbnail(rendition: $0, width: 16, height: 16, bytes: jpeg, lane: .planar)
        }
        var made = Rendering(thumbnails, of: PixelSize(width: 16, height: 16), .png)
        made.info.hasAlpha = true
        made.summary.thumbHash = Array(1...20)
        made.summary.color = RGB(red: 9, green: 8, blue: 7)
        return made
    }

    private let memory: SharedMemory
    private let request: RenderRequest

    init() throws {
        var request = RenderRequest(
            number: 7, input: .original, format: .png, count: 10, maxBytes: 1 << 20,
            maxPixels: 1_000,
            maxSide: 100, levels: [],
            parts: Self.renditions.map {
                RenderPart(rendition: $0, encoding: .png(compression: 1))
            })
        request.early = 2
        self.request = request
        memory = try SharedMemory(count: 1 << 16)
    }

    /// Writes the thumbnails, too.
    private func message(
        _ result: Result<Rendering, ImagingError>, isEarly: Bool = false
    ) -> [UInt8] {
        RenderReply(number: 7, result: result, isEarly: isEarly)
            .message(writingTo: memory, at: request.thumbnails)
    }

    private func read(_ message: [UInt8]) -> RenderReply? {
        RenderReply(message: message, memory: memory, for: request)
    }

    @Test func `a rendering is read back from its message, and from no others`() throws {
        let message = message(.success(Self.rendering))
        let made = try #require(try read(message)?.result.get())
        #expect(made.info == Self.rendering.info)
        #expect(made.summary == Self.rendering.summary)
        #expect(made.thumbnails.map(\.bytes) == [Self.jpeg, Self.jpeg, Self.jpeg])
        #expect(made.thumbnails.map(\.lane) == [.planar, .planar, .planar])
        for count in message.indices { #expect(read(Array(message.prefix(count))) == nil) }
        #expect(read(message + [0]) == nil)
    }

    @Test func `first thumbnails are read only if the request wants some`() throws {
        var early = Self.rendering
        early.thumbnails.removeLast()
        let message = message(.success(early), isEarly: true)
        let reply = try #require(read(message))
        #expect(reply.isEarly)
        #expect(try reply.result.get().thumbnails.count == 2)
        var other = request
        other.early = 0
        #expect(
            RenderReply(message: message, memory: memory, for: other) == nil)
    }

    @Test func `a header is read back if only that was asked for, and is within the format`() throws
    {
        var header = Header(format: .jxl, width: 70_000, height: 3)
        (header.hasAlpha, header.depth, header.samples) = (true, 16, 1.5)
        (header.rowsAtOnce, header.frames) = (512, 7)
        let message = RenderReply(number: 7, result: .success(Rendering(header))).message
        #expect(read(message) == nil)
        var other = RenderRequest(
            number: 7, input: .header, format: .jxl, count: 10, maxBytes: 1, maxPixels: 1,
            maxSide: 1,
            levels: [], parts: [])
        func answer(_ message: [UInt8]) -> Header? {
            try? RenderReply(message: message, memory: memory, for: other)?.result.get().header
        }
        #expect(answer(message) == header)
        #expect(answer(self.message(.success(Self.rendering))) == nil)
        for count in message.indices { #expect(answer(Array(message.prefix(count))) == nil) }
        other.format = .jp2
        #expect(answer(message) == nil)
        header.planes = .both
        other.format = .jxl
        #expect(answer(RenderReply(number: 7, result: .success(Rendering(header))).message) == nil)
    }

    @Test func `an error is one line of limited length`() {
        let reply = read(
            message(.failure(.broken(reason: "a\nb" + String(repeating: "c", count: 5_000)))))
        guard case .failure(.broken(let reason)) = reply?.result else {
            Issue.record("\(String(describing: reply))")
            return
        }
        #expect(reason == "a b" + String(repeating: "c", count: 297))
    }

    @Test func `a changed message is refused, or is within the limits of the request`() {
        let message = message(.success(Self.rendering))
        var random = SeededGenerator(seed: 5)
        var read = 0
        for _ in 0..<5_000 {
            var changed = message
            for _ in 0..<2 {
                changed[Int.random(in: 7..<changed.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard case .success(let made) = self.read(changed)?.result else { continue }
            read += 1
            #expect(made.info.width <= 100 && made.info.height <= 100)
            #expect(made.info.width * made.info.height <= 1_000)
            #expect(made.thumbnails.allSatisfy { $0.bytes.count < memory.count })
        }
        #expect(read > 0)
    }
}

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
