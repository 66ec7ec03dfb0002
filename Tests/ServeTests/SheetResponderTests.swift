import Catalog
import Foundation
import HTTPTypes
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Store
import TestSupport
import Testing

@testable import Imaging
@testable import Serve

/// `/sheet/…` and the grid data of `/v1`, from request to response.
@Suite(.timeLimit(.minutes(1))) struct SheetResponderTests {
    private static let colors = [
        1: RGB(red: 200, green: 30, blue: 40), 2: RGB(red: 20, green: 140, blue: 60),
        3: RGB(red: 20, green: 40, blue: 180),
    ]

    /// A page of shows 1…4; the fourth has no picture.
    private func harness(maxAge: Int? = nil) async throws -> Harness {
        let harness = try await Harness()
        let shows = (1...4).map { Harness.show($0, medium: nil, original: $0 == 4 ? nil : "") }
        harness.origin.on("/shows", host: Harness.apiHost) { request in
            request.query == "page=0"
                ? .json("[\(shows.joined(separator: ","))]")
                : .json(TVMazeProblem.notFound.json.text, status: 404)
        }
        for (id, color) in Self.colors {
            let canvas = try Canvas(width: 340 + id, height: 500, fill: color)
            harness.origin.on("/original/\(id).jpg", .jpeg(try canvas.encodeJPEG(), maxAge: maxAge))
        }
        return harness
    }

    private func get(
        _ harness: Harness, _ target: String, _ fields: HTTPFields = [:]
    ) async -> Response {
        var answer = await ask(harness, target, fields)
        // A sheet is sent from its file.
        answer.body = (try? await answer.collected()) ?? []
        return answer
    }

    private struct Sheet: Decodable {
        struct Image: Decodable { var url: String, width: Int, height: Int }
        struct Rectangle: Decodable {
            var item: String, x: Int, y: Int, width: Int, height: Int, placeholder: Bool
        }

        var image: Image
        var items: [Rectangle]
    }

    private func rectangles(_ harness: Harness, _ target: String) async throws -> Sheet {
        let answer = await get(harness, target)
        #expect(answer.status == .ok)
        return try JSONDecoder().decode(Sheet.self, from: Data(answer.body))
    }

    /// In the middle of a rectangle.
    private func color(of pixels: PixelBuffer, _ rectangle: Sheet.Rectangle) -> RGB {
        let (x, y) = (rectangle.x + rectangle.width / 2, rectangle.y + rectangle.height / 2)
        let at = pixels.bytes + y * pixels.stride + x * pixels.bands
        return RGB(red: at[0], green: at[1], blue: at[2])
    }

    @Test func `a contact sheet has all thumbnails of a page at the positions of its JSON`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let answer = await get(harness, "/sheet/s/tvmaze/shows.jpg?page=0")
            #expect(answer.status == .ok)
            #expect(answer.fields[.contentType] == "image/jpeg")
            #expect(answer.fields[.cacheStatus] == "vitrine; fwd=miss; stored")
            #expect(answer.fields[.vary] == nil)
            let pixels = try Decoder(limits: Limits(ImagingConfiguration())).decode(
                answer.body, HeaderReader.read(answer.body, .jpeg), fit: { [$0] }
            ).pictures[0].pixels()
            let sheet = try await rectangles(harness, "/sheet/s/tvmaze/shows.json?page=0")
            #expect(sheet.image.url == "/sheet/s/tvmaze/shows?page=0")
            #expect((sheet.image.width, sheet.image.height) == (pixels.width, pixels.height))
            #expect(sheet.items.map(\.item) == (1...4).map { "tvmaze/show/\($0)" })
            #expect(sheet.items.map(\.placeholder) == [false, false, false, true])
            #expect(sheet.items.map(\.width) == [160, 160, 160, 160])
            // 341×500, 342×500 and 343×500 in 160×240; the placeholder fills its cell.
            #expect(sheet.items.map(\.height) == [235, 234, 233, 240])
            for (item, id) in zip(sheet.items, 1...3) {
                let found = color(of: pixels, item)
                let wanted = try #require(Self.colors[id])
                #expect(abs(Int(found.red) - Int(wanted.red)) < 12, "\(id): \(found)")
                #expect(abs(Int(found.green) - Int(wanted.green)) < 12, "\(id): \(found)")
                #expect(abs(Int(found.blue) - Int(wanted.blue)) < 12, "\(id): \(found)")
            }
        }
    }

    @Test func `a sheet is stored, found again after a restart, and revalidated by its tag`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let accept: HTTPFields = [.accept: "image/webp,*/*;q=0.5"]
            let cold = await get(harness, "/sheet/xs/tvmaze/shows", accept)
            #expect(cold.fields[.contentType] == "image/webp")
            #expect(cold.fields[.vary] == "Accept")
            try await harness.restart()
            let asked = harness.origin.log.requests.count
            var again = accept
            again[.ifNoneMatch] = cold.fields[.eTag]
            let known = await get(harness, "/sheet/xs/tvmaze/shows", again)
            #expect(known.status == .notModified)
            let warm = await get(harness, "/sheet/xs/tvmaze/shows", accept)
            #expect(warm.fields[.cacheStatus] == "vitrine; hit")
            #expect(warm.body == cold.body)
            #expect(warm.fields[.eTag] == cold.fields[.eTag])
            #expect(warm.fields[.lastModified] == cold.fields[.lastModified])
            #expect(harness.origin.log.requests.count == asked)
            #expect(harness.pipeline.status.renderCount == 0)
        }
    }

    @Test(arguments: ["v=1", "v=1&v=2", "t=1700000000", "_=", "utm_source=mail&v=%20"])
    func `what means nothing in a sheet's URL is ignored, as in every picture's`(extra: String)
        async throws
    {
        try await withHarness(harness()) { harness async throws in
            let plain = await get(harness, "/sheet/xs/tvmaze/shows.webp?page=0")
            let other = await get(harness, "/sheet/xs/tvmaze/shows.webp?page=0&\(extra)")
            #expect(other.status == .ok && other.body == plain.body && !plain.body.isEmpty)
            let sheet = try await rectangles(harness, "/sheet/xs/tvmaze/shows.json?\(extra)")
            #expect(sheet.image.url == "/sheet/xs/tvmaze/shows?page=0")
            // A document says that it doesn't know it, and a parameter of the list is still checked.
            #expect(await get(harness, "/v1/tvmaze/shows?\(extra)").status == .badRequest)
            for wrong in ["page=x&\(extra)", "page=0&page=1&\(extra)", "from=x&\(extra)"] {
                let answer = await get(harness, "/sheet/xs/tvmaze/shows.webp?\(wrong)")
                #expect(answer.status == .badRequest, "\(wrong)")
            }
        }
    }

    @Test func `a hundred requests for a cold sheet draw it once`() async throws {
        try await withHarness(harness()) { harness async throws in
            let answers = await withTaskGroup(of: Response.self) { group in
                for _ in 0..<100 {
                    group.addTask { await get(harness, "/sheet/xs/tvmaze/shows.webp") }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == .ok })
            #expect(Set(answers.map { $0.fields[.eTag] }).count == 1)
            #expect(answers.count { $0.fields[.cacheStatus] == "vitrine; fwd=miss; stored" } == 1)
            #expect(harness.pipeline.status.renderCount == 3)
        }
    }

    @Test func `a contact sheet is as fresh as its least fresh picture and is served stale`()
        async throws
    {
        try await withHarness(harness(maxAge: 120)) { harness async throws in
            let cold = await get(harness, "/sheet/xs/tvmaze/shows.webp")
            #expect(cold.fields[.cacheControl]?.hasPrefix("public, max-age=120,") == true)
            harness.clock.advance(by: 50)
            let later = await get(harness, "/sheet/xs/tvmaze/shows.webp")
            #expect(later.fields[.cacheControl]?.hasPrefix("public, max-age=70,") == true)
            await harness.origin.stop()
            harness.clock.advance(by: 100)
            let stale = await get(harness, "/sheet/xs/tvmaze/shows.webp")
            #expect(stale.fields[.cacheStatus] == "vitrine; fwd=stale")
            #expect(stale.fields[.cacheControl]?.hasPrefix("public, max-age=0,") == true)
            #expect(stale.body == cold.body)
        }
    }

    @Test func `a damaged sheet is drawn again, to the same bytes`() async throws {
        try await withHarness(harness()) { harness in
            let plan = try await harness.pipeline.sheets.sheet(
                of: (1...4).map { harness.item($0) }, level: harness.pipeline.level("xs"),
                format: .webp)
            try harness.damage(plan.blob.digest)
            try await harness.restart()
            let again = try await harness.pipeline.sheets.sheet(
                of: (1...4).map { harness.item($0) }, level: harness.pipeline.level("xs"),
                format: .webp)
            #expect(again.outcome == .miss)
            #expect(again.blob.digest == plan.blob.digest)
            #expect(harness.pipeline.status.renderCount == 0)
        }
    }

    @Test func `filters select the pictures of a sheet, and an empty sheet has one cell`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let two = try await rectangles(harness, "/sheet/xs/tvmaze/shows.json?title=show+2")
            #expect(two.items.map(\.item) == ["tvmaze/show/2"])
            #expect(two.image.url == "/sheet/xs/tvmaze/shows?page=0&title=show%202")
            let none = try await rectangles(harness, "/sheet/xs/tvmaze/shows.json?title=nothing")
            #expect(none.items.isEmpty)
            #expect((none.image.width, none.image.height) == (90, 130))
            let answers = [
                await get(harness, "/sheet/xs/tvmaze/shows.webp?title=nothing"),
                await get(harness, "/sheet/xs/tvmaze/shows.webp?title=show+1"),
                await get(harness, "/sheet/xs/tvmaze/shows.webp?title=show+2"),
            ]
            #expect(answers.allSatisfy { $0.status == .ok })
            #expect(Set(answers.map { $0.fields[.eTag] }).count == 3)
        }
    }

    @Test func `the error of a too large sheet names a level that fits`() async throws {
        try await withHarness(harness()) { harness in
            let items = (1...40).map { harness.item($0) }
            let level = try harness.pipeline.level("xl")
            await #expect(
                throws: Failure(
                    .sheetTooLarge,
                    "A sheet of 40 thumbnails of level “xl” has more than 16 million "
                        + "pixels; take level “m”, or filter the list.")
            ) {
                try await harness.pipeline.sheets.sheet(of: items, level: level, format: .webp)
            }
        }
    }

    private struct Page: Decodable {
        struct Item: Decodable {
            var aspectRatio: Double?
            var thumbhash: String?
            var color: String?
        }

        var items: [Item]
    }

    @Test func `a page has hash, color and aspect ratio once a thumbnail exists`() async throws {
        try await withHarness(harness()) { harness in
            func page() async throws -> [Page.Item] {
                let answer = await get(harness, "/v1/tvmaze/shows?page=0")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(text.contains("\"thumbhash\":null") && text.contains("\"color\":null"))
                return try JSONDecoder().decode(Page.self, from: Data(answer.body)).items
            }
            #expect(try await page().allSatisfy { $0.thumbhash == nil && $0.aspectRatio == nil })
            _ = try await harness.picture(2, "xs")
            let second = try await page()[1]
            // Exact, although the thumbnail is 80×117.
            #expect(second.aspectRatio == 342.0 / 500)
            let hash = try #require(second.thumbhash.flatMap { Data(base64Encoded: $0) })
            #expect((20...25).contains(hash.count))
            let color = try #require(second.color.flatMap(RGB.init(hex:)))
            #expect(abs(Int(color.green) - 140) < 6 && color.red < 30)
            #expect(try await page()[0].color == nil)
        }
    }
}
