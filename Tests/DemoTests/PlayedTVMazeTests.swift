import Catalog
import PlayedAPIs
import Testing

@testable import Demo

/// TVmaze is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct PlayedTVMazeTests {
    private let demo: PlayedDemo
    private let source = TVMaze()
    private var catalog: ShowCatalog { PlayedDemo.origin.shows }

    init() throws { demo = try PlayedDemo() }

    private func show(_ quirk: Quirk?) throws -> DemoShow {
        try #require(catalog.shows.first { $0.quirk == quirk })
    }

    private func picture(
        _ show: DemoShow, _ slot: DemoShow.Slot = .mainPoster,
        _ size: DemoShow.Size = .original
    ) async -> DemoAnswer {
        await demo.answer(slot.url(of: show.id, size))
    }

    @Test func `the reader finds every show of every page, and the end`() async throws {
        let read = try await demo.all(source, "shows")
        let shows = catalog.shows
        #expect(read.map(\.entry.item.id) == shows.map { String($0.id) })
        #expect(read.map(\.entry.title) == shows.map(\.name))
        #expect(read.map(\.entry.genres) == shows.map(\.genres))
        #expect(read.map(\.entry.date) == shows.map(\.premiered))
        #expect(read.allSatisfy { $0.entry.subtitle != nil && $0.entry.link != nil })
        #expect(read.allSatisfy { $0.entry.summary?.contains("<") != true })
        for page in ["2", "99", "-1", "x", ""] {
            #expect(await demo.answer("https://api.tvmaze.com/shows?page=\(page)").status == 404)
        }
    }

    @Test func `the reader sees the quirk of a show`() async throws {
        for show in catalog.shows {
            let chain = try await demo.details(source, "show", "\(show.id)").chain
            let expected =
                switch show.quirk {
                case .noPicture: 0
                case .mediumNull, .mediumMissing: 1
                default: 2
                }
            #expect(chain.count == expected, "show \(show.id)")
        }
    }

    @Test func `posters have a main one, often not as the first image`() async throws {
        var others = 0
        for show in catalog.shows {
            let chain = try await demo.details(source, "poster", "\(show.id)").chain
            #expect(chain.last == .item(Item(source: "tvmaze", kind: "show", id: "\(show.id)")))
            guard show.quirk != .noPicture else {
                #expect(chain.count == 1)
                continue
            }
            guard case .candidate(let main) = chain[0] else { continue }
            #expect(main.label == "main poster (original)")
            #expect(main.width == 680 && main.height == 1_000)
            #expect(main.url.hasSuffix("/\(show.id * 10).jpg"))
            if chain.count > 3 { others += 1 }
        }
        #expect(others > 20)
    }

    @Test(arguments: ["/shows/99999", "/shows/99999/images", "/shows/x", "/nothing", "/"])
    func `an unknown path answers as TVmaze does`(path: String) async {
        let answer = await demo.answer("https://api.tvmaze.com\(path)")
        #expect(answer.status == 404)
        #expect(answer.text == #"{"name":"Not Found","message":"","code":0,"status":404}"#)
    }

    @Test func `answers may be kept for an hour`() async {
        let answer = await demo.answer("https://api.tvmaze.com/shows/1")
        #expect(answer.fields["Cache-Control"] == "public, max-age=3600")
        #expect(answer.contentType == "application/json; charset=UTF-8")
    }

    @Test func `a search finds a title by all of its words, the best first`() async throws {
        func found(_ term: String) async throws -> [String] {
            try await demo.all(source, "search", ["q": term]).map(\.entry.title)
        }
        let show = catalog.shows[4]
        #expect(try await found(show.name.uppercased()).first == show.name)
        #expect(try await found("the").count == 10)
        #expect(try await found("zzzz").isEmpty)
        #expect(await demo.answer("https://api.tvmaze.com/search/shows").status == 400)
    }

    @Test func `originals and mediums have the sizes and weights of real ones`() async throws {
        for show in catalog.shows.filter({ $0.quirk == nil }).prefix(24) {
            let original = await picture(show)
            #expect(original.status == 200)
            #expect(original.size == JPEGSize(680, 1_000))
            #expect((60_000...250_000).contains(original.body.count), "show \(show.id)")
            let medium = await picture(show, .mainPoster, .portrait)
            #expect(medium.size == JPEGSize(210, 295))
            #expect((8_000...28_000).contains(medium.body.count), "show \(show.id)")
        }
    }

    @Test(arguments: [
        (DemoShow.Slot.otherPoster, DemoShow.Size.portrait, 210, 295),
        (.background, .original, 1_280, 720), (.banner, .original, 758, 140),
        (.banner, .leaderboard, 758, 140), (.unclassified, .original, 700, 467),
    ])
    func `other pictures have their own shapes`(
        slot: DemoShow.Slot, size: DemoShow.Size, width: Int, height: Int
    ) async throws {
        #expect(await picture(try show(nil), slot, size).size == JPEGSize(width, height))
    }

    @Test func `a cut original is the beginning of a picture and its medium is whole`()
        async throws
    {
        let show = try show(.originalCut)
        let answer = await picture(show)
        #expect(answer.status == 200 && answer.contentType == "image/jpeg")
        #expect(answer.size == JPEGSize(680, 1_000))
        #expect(answer.body.suffix(2) != [0xFF, 0xD9])
        let medium = await picture(show, .mainPoster, .portrait)
        #expect(medium.body.suffix(2) == [0xFF, 0xD9])
    }

    @Test func `an original can be an HTML page with status 200`() async throws {
        let show = try show(.originalHTML)
        let answer = await picture(show)
        #expect(answer.status == 200 && answer.contentType == "text/html")
        #expect(answer.size == nil)
        #expect(await picture(show, .mainPoster, .portrait).size != nil)
    }

    @Test(arguments: [
        (Quirk.mediumNull, 200), (.mediumMissing, 200), (.mediumGone, 200), (.noPicture, 404),
    ])
    func `a medium that isn't there is a 404`(quirk: Quirk, original: Int) async throws {
        let show = try show(quirk)
        #expect(await picture(show, .mainPoster, .portrait).status == 404)
        #expect(await picture(show).status == original)
    }

    @Test(arguments: [
        "/", "/uploads/images/original_untouched/4/99990.jpg", "/favicon.ico",
        "/uploads/images/medium_portrait/0/12.jpg", "/uploads/images/original_untouched/1/10.jpg",
    ])
    func `no other path is a picture's`(path: String) async {
        #expect(await demo.answer("https://static.tvmaze.com\(path)").status == 404)
    }
}
