import Catalog
import JSON
import PlayedAPIs
import Testing

@testable import Demo

/// The Rijksmuseum is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct PlayedMuseumTests {
    private let demo: PlayedDemo
    private let source = Rijksmuseum()
    private var objects: [DemoObject] { PlayedDemo.origin.objects.objects }

    init() throws { demo = try PlayedDemo() }

    private func find(_ query: String) async -> DemoAnswer {
        await demo.answer("https://data.rijksmuseum.nl/search/collection\(query)")
    }

    private func record(
        _ number: some CustomStringConvertible, accept: String = "application/ld+json"
    ) async -> DemoAnswer {
        await demo.answer("https://id.rijksmuseum.nl/\(number)") { $0.accept = accept }
    }

    @Test func `the collection is read to its end in pages of at most twenty`() async throws {
        let available = objects.filter { $0.quirk != .noPicture }
        var pages: [CatalogPage] = []
        var next: ListQuery? = try source.query(list: "objects", parameters: [:])
        while let query = next, pages.count < 10 {
            let page = try #require(try await source.page(query, api: demo))
            pages.append(page)
            next = page.next
        }
        #expect(next == nil)
        #expect(pages.dropLast().allSatisfy { $0.items.count == 20 })
        #expect(pages.allSatisfy { $0.total == available.count })
        let items = pages.flatMap(\.items)
        #expect(items.map(\.entry.item.id) == available.map { "\($0.number)" })
        #expect(items.allSatisfy { $0.entry.subtitle != nil })
    }

    @Test func `a page leads to the next one, the last one no further`() async {
        let first = await find("").text
        #expect(first.contains(#""totalItems":120"#))
        let token = "?pageToken=eyJ0b2tlbiI6IDEwMH0"
        #expect(
            first.contains(
                #""next":{"id":"https://data.rijksmuseum.nl/search/collection\#(token)""#))
        let last = await find(token).text
        #expect(!last.contains(#""next""#))
        #expect(last.split(separator: "HumanMadeObject").count == 21)
        #expect(await find("?title=zzqqxx").text.hasSuffix(#""orderedItems":[]}"#))
    }

    @Test(arguments: ["?pageToken=x", "?pageToken=", "?imageAvailable=perhaps"])
    func `values without meaning are a bad request`(query: String) async {
        #expect(await find(query).status == 400)
    }

    @Test func `an unknown parameter is a bad request that names it`() async {
        let answer = await find("?title=molen&foo=1")
        #expect(answer.status == 400)
        #expect(answer.text == #"{"detail":"Unsupported query parameter: foo"}"#)
    }

    @Test func `searches find whole words in both languages, all conditions at once`() async throws
    {
        func found(_ query: String) async -> Set<Int> {
            let text = await find("?\(query)").text
            let numbers = text.matches(of: /id\.rijksmuseum\.nl\/(\d+)/).compactMap { Int($0.1) }
            return Set(numbers)
        }
        func numbers(_ isWanted: (DemoObject) -> Bool) -> Set<Int> {
            Set(objects.filter(isWanted).map(\.number))
        }
        let still = await found("title=stilleven")
        #expect(still == numbers { $0.motif.name == "stillLife" })
        #expect(await found("title=Still+Life").count < still.count)
        #expect(await found("title=stillev").isEmpty)
        let object = objects[0]
        let year = try #require(object.record.years?.lowerBound)
        #expect(await found("objectNumber=\(object.record.objectNumber)") == [object.number])
        let prefix = object.record.objectNumber.prefix(4)
        #expect(await found("objectNumber=\(prefix)*").contains(object.number))
        #expect(await found("creationDate=16??").count > 60)
        #expect(await found("creationDate=\(year)").contains(object.number))
        let painted = await found("type=painting&material=oil")
        #expect(painted.isDisjoint(with: numbers(\.isTiles)) && !painted.isEmpty)
        #expect(await found("imageAvailable=false") == numbers { $0.quirk == .noPicture })
    }

    @Test func `a client that asks for JSON gets the record, others are sent to the other host`()
        async
    {
        let plain = await record(objects[0].number)
        #expect(plain.status == 200 && plain.contentType == "application/ld+json")
        #expect(await record(objects[0].number, accept: "text/html").status == 303)
        let detour = await record(objects[3].number)
        #expect(detour.status == 303)
        let location = "https://data.rijksmuseum.nl/\(objects[3].number)"
        #expect(detour.fields["Location"] == location)
        #expect(await demo.answer(location).status == 200)
        #expect(await record("200310001").status == 400)
        #expect(await record("nothing").status == 404)
    }

    @Test func `the reader finds every title, maker and date, and sees the quirk`() async throws {
        for object in objects {
            let details = try await demo.details(source, "object", "\(object.number)")
            let (entry, record) = (details.entry, object.record)
            #expect(entry.title == record.englishTitle ?? record.title)
            #expect(entry.translations?["nl"]?.title == record.title)
            #expect(entry.subtitle?.hasPrefix(record.maker?.name ?? "?") == true)
            #expect(entry.date?.hasPrefix("\(record.years?.lowerBound ?? 0)") == true)
            #expect(entry.objectNumber == record.objectNumber && entry.type == record.type.english)
            #expect(entry.material != nil && entry.medium != nil && entry.technique != nil)
            switch object.quirk {
            case nil, .secondDigitalObject:
                guard case .scalable(let picture) = details.chain.first else {
                    Issue.record("object \(object.index) has no picture")
                    continue
                }
                #expect(picture.template.contains("/\(object.image)/full/!"))
                #expect((picture.maxWidth ?? 0) > 1_000)
            default: #expect(details.chain.isEmpty, "\(object.index)")
            }
        }
    }

    // MARK: Pictures

    private func get(_ path: String) async -> DemoAnswer {
        await demo.answer("https://iiif.micr.io/\(objects[0].image)\(path)")
    }

    /// Of a picture of 8,000×6,000 pixels, of which at most 17.55 megapixels are given.
    @Test(
        arguments: [
            ("!400,400", 400, 300), ("!400,100", 133, 100), ("!1,1", 1, 1),
            ("!4800,4800", 4_800, 3_600), ("!4900,4900", nil, nil), ("!9000,9000", nil, nil),
            ("!0,400", nil, nil), ("!400,", nil, nil), ("400,400", nil, nil), ("max", nil, nil),
            ("", nil, nil), ("!-1,5", nil, nil), ("!99999999999999999999,1", nil, nil),
        ] as [(String, Int?, Int?)])
    func `a size is a box around the whole picture`(segment: String, width: Int?, height: Int?) {
        let size = PlayedMuseum.size(segment, 8_000, 6_000)
        #expect(size?.width == width)
        #expect(size?.height == height)
    }

    @Test func `a box keeps the shape and doesn't enlarge`() async throws {
        let boxed = try #require(await get("/full/!120,120/0/default.jpg").size)
        #expect(max(boxed.width, boxed.height) == 120)
        let ratio = Double(objects[0].width) / Double(objects[0].height)
        #expect(abs(Double(boxed.width) / Double(boxed.height) - ratio) < 0.02)
        #expect(
            PlayedMuseum.size("!800,800", 400, 300).map { [$0.width, $0.height] } == [400, 300])
    }

    @Test(arguments: [
        ("/full/!64,64/0/default.jpg", 200), ("/full/full/0/default.jpg", 400),
        ("/full/!64,64/0/default.gif", 400), ("/square/!64,64/0/default.jpg", 400),
        ("/full/!64,64/90/default.jpg", 400), ("/full", 404), ("", 303), ("/info.json", 200),
    ])
    func `the size asked for is answered, and nothing else`(path: String, status: Int) async {
        #expect(await get(path).status == status)
    }

    @Test(arguments: ["/", "/zzzzz/info.json", "/zzzzz/full/!64,64/0/default.jpg"])
    func `an unknown image is a 404`(path: String) async {
        #expect(await demo.answer("https://iiif.micr.io\(path)").status == 404)
    }

    @Test func `a large picture is drawn at its size, in finer detail than a small one`() async {
        let large = await get("/full/!1600,9000/0/default.jpg").body
        let small = await get("/full/!400,9000/0/default.jpg").body
        #expect(JPEGSize(large)?.width == 1_600)

        // The small one has eight times as many bytes if it is enlarged, twelve times if it is
        // drawn in the larger size.
        #expect(large.count > small.count * 10)
    }
}
