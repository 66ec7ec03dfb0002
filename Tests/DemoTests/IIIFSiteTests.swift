import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct IIIFSiteTests {
    let site = IIIFSite(
        catalog: RijksmuseumSiteTests.objects, artist: Artist(seed: 2_013),
        pictures: .forTests())

    private var object: DemoObject { RijksmuseumSiteTests.objects.objects[0] }

    private func get(_ path: String) async -> DemoAnswer {
        await site.answer(DemoRequest(path: "/\(object.image)\(path)"))
    }

    /// Of a picture of 4,000×3,000 pixels, with at most 9 megapixels given.
    @Test(
        arguments: [
            ("max", 4_000, 3_000), ("^max", 4_000, 3_000), ("400,", 400, 300), (",400", 533, 400),
            ("400,400", 400, 400), ("!400,400", 400, 300), ("!400,100", 133, 100),
            ("!9000,9000", nil, nil), ("!3000,3000", 3_000, 2_250), ("pct:25", 1_000, 750),
            ("pct:0.01", 1, 1), ("^pct:50", 2_000, 1_500), ("1,", 1, 1),
        ] as [(String, Int?, Int?)])
    func `a size is what the specification says`(segment: String, width: Int?, height: Int?) {
        let size = IIIFSize(segment, width: 4_000, height: 3_000, maxArea: 9_000_000)
        #expect(size?.width == width)
        #expect(size?.height == height)
        #expect(size?.isFree ?? false == (segment == "400,400"))
    }

    @Test(arguments: [
        "4001,", ",3001", "4001,3000", "100,3001", "pct:101", "pct:0", "pct:-1", "pct:x", "0,",
        ",0", "0,0", "", ",", "400", "!400,", "!,400", "!400", "400,400,", "-1,", "full", "a,b",
        "^", "^4001,", "^pct:100", "3600,", "99999999999999999999,",
    ])
    func `enlarging without a caret, too much, and nonsense are refused`(segment: String) {
        #expect(IIIFSize(segment, width: 4_000, height: 3_000, maxArea: 9_000_000) == nil)
    }

    @Test func `a caret allows enlarging`() {
        func size(_ segment: String) -> IIIFSize? {
            IIIFSize(segment, width: 400, height: 300, maxArea: 9_000_000)
        }
        #expect(size("^800,")?.height == 600)
        #expect(size("^!800,800")?.height == 600)
        #expect(size("!800,800")?.width == 400)
        #expect(size("^pct:200")?.width == 800)
        #expect(size("800,") == nil)
    }

    @Test(arguments: [
        ("/full/!120,120/0/default.jpg", "image/jpeg", [0xFF, 0xD8]),
        ("/full/64,/0/color.png", "image/png", [0x89, 0x50]),
        ("/full/,64/0/default.webp", "image/webp", [0x52, 0x49]),
        ("/full/^64,/0/default.jpg", "image/jpeg", [0xFF, 0xD8]),
        ("/full/%5E64,/0/default.jpg", "image/jpeg", [0xFF, 0xD8]),
    ])
    func `pictures come in the size and format asked for`(
        path: String, type: String, magic: [UInt8]
    ) async {
        let answer = await get(path)
        #expect(answer.status == 200)
        #expect(answer.contentType == type)
        #expect(answer.body.starts(with: magic))
    }

    @Test func `a box keeps the shape, two sides don't`() async throws {
        let boxed = try #require(JPEGSize(await get("/full/!120,120/0/default.jpg").body))
        #expect(max(boxed.width, boxed.height) == 120)
        let ratio = Double(object.width) / Double(object.height)
        #expect(abs(Double(boxed.width) / Double(boxed.height) - ratio) < 0.02)
        let free = await get("/full/90,30/0/default.jpg")
        #expect(JPEGSize(free.body) == JPEGSize(width: 90, height: 30))
    }

    @Test(arguments: [
        ("/full/100000,/0/default.jpg", 400), ("/full/full/0/default.jpg", 400),
        ("/full/64,/0/default.gif", 400), ("/full/64,/0/default", 400),
        ("/square/64,/0/default.jpg", 501), ("/0,0,64,64/64,/0/default.jpg", 501),
        ("/full/64,/90/default.jpg", 501), ("/full/64,/0/gray.jpg", 501),
        ("/full/64,/default.jpg", 404), ("/full", 404), ("", 303), ("/info.json", 200),
    ])
    func `other requests are answered as a server with these features does`(
        path: String, status: Int
    ) async {
        #expect(await get(path).status == status)
    }

    @Test func `an unknown image is a 404`() async {
        for path in ["/", "/zzzzz/info.json", "/zzzzz/full/64,/0/default.jpg"] {
            #expect(await site.answer(DemoRequest(path: path)).status == 404)
        }
    }

    @Test func `a large picture is drawn at its size, in finer detail than a small one`()
        async throws
    {
        let large = await get("/full/1600,/0/default.jpg").body
        let small = await get("/full/400,/0/default.jpg").body
        #expect(JPEGSize(large)?.width == 1_600)

        // The small one has eight times as many bytes if it is enlarged, twelve times if it is
        // drawn in the larger size.
        #expect(large.count > small.count * 10)
    }

    @Test func `equal sizes by different words are one drawing`() async {
        let width = object.width
        _ = await get("/full/\(width / 50),/0/default.jpg")
        let before = await site.pictures.store.drawings
        _ = await get("/full/\(width / 50),/0/color.jpg")
        #expect(await site.pictures.store.drawings == before)
    }
}
