import Catalog
import TestSupport
import Testing

@testable import App

/// The examples in `config/sources`, with answers written by the APIs' documentation.
@Suite(.timeLimit(.minutes(1))) struct ExampleSourcesTests {
    private static let release = "76df3287-6cda-33eb-8e9a-044b5e15ffdd"

    @Test func `a release has three sizes of its front cover, without a request`() throws {
        let source = try ConfiguredSource(example: "cover-art-archive")
        let item = try source.item(kind: "release", id: Self.release.uppercased())
        #expect(item.id == Self.release)
        let details = try #require(source.freeDetails(of: item))
        #expect(!details.isComplete)
        #expect(
            details.urls
                == ["front-250", "front-500", "front-1200", "front"].map {
                    "https://coverartarchive.org/release/\(Self.release)/\($0)"
                })
        #expect(
            details.labels(width: 320) == ["front 500", "front 1200", "front 250", "front"])
        #expect(details.labels(width: 160).first == "front 250")
        #expect(details.labels(width: 1_280).first == "front 1200")
    }

    @Test func `a release has its title, artist, date and genres from MusicBrainz`() async throws {
        let source = try ConfiguredSource(example: "cover-art-archive")
        let url =
            "https://musicbrainz.org/ws/2/release/\(Self.release)?inc=artist-credits+genres&fmt=json"
        let api = AnsweringAPI([url: try Fixtures.answer("musicbrainz-release.json")])
        let item = try source.item(kind: "release", id: Self.release)
        let entry = try await source.details(of: item, api: api).entry
        #expect(entry.title == "Dummy")
        #expect(entry.subtitle == "Portishead")
        #expect(entry.date == "1994-08-22")
        #expect(entry.genres == ["downtempo", "trip hop"])
        #expect(entry.link == "https://musicbrainz.org/release/\(Self.release)")
        #expect(entry.rights == "Covers from the Cover Art Archive, data by MusicBrainz")
    }

    @Test func `the back of a release comes from the archive's list of images`() async throws {
        let source = try ConfiguredSource(example: "cover-art-archive")
        let url = "https://coverartarchive.org/release/\(Self.release)/"
        let api = AnsweringAPI([url: try Fixtures.answer("coverartarchive-release.json")])
        let item = try source.item(kind: "back", id: Self.release)
        #expect(source.freeDetails(of: item) == nil)
        let details = try await source.details(of: item, api: api)
        // It has no thumbnail of 1200 pixels.
        #expect(details.labels(width: 320) == ["back 500", "back 250", "back"])
        #expect(
            details.urls.first
                == "https://coverartarchive.org/release/\(Self.release)/5769317885-250.jpg")
    }

    @Test func `a search of releases has pages by offset up to the count`() async throws {
        let source = try ConfiguredSource(example: "cover-art-archive")
        let begin = "https://musicbrainz.org/ws/2/release?query=dummy%20album&limit=25&offset="
        let answer = try Fixtures.answer("musicbrainz-search.json")
        let api = AnsweringAPI(["\(begin)0&fmt=json": answer, "\(begin)25&fmt=json": answer])
        let first = try source.query(list: "search", parameters: ["q": "dummy album"])
        let page = try #require(try await source.page(first, api: api))
        #expect(page.total == 27)
        #expect(page.firstIndex == 0)
        #expect(
            page.items.map(\.entry.item.id)
                == [Self.release, "99b09d02-9cc9-3fed-8431-f162165a9371"])
        #expect(page.items[1].entry.subtitle == "Portishead, Friends")
        #expect(page.items[1].entry.date == "1994-10")
        #expect(page.items.allSatisfy { $0.isResolved && !$0.isComplete && $0.chain.count == 4 })
        let next = try #require(page.next)
        #expect(next.parameters == ["q": "dummy album", "offset": "25"])
        let last = try #require(try await source.page(next, api: api))
        #expect(last.next == nil)
        #expect(last.firstIndex == 25)
    }

    @Test func `a work has its covers, without those that were removed`() async throws {
        let source = try ConfiguredSource(example: "open-library")
        let api = AnsweringAPI([
            "https://openlibrary.org/works/OL893415W.json": try Fixtures.answer(
                "openlibrary-work.json")
        ])
        let details = try await source.details(
            of: source.item(kind: "work", id: "OL893415W"), api: api)
        #expect(details.entry.title == "Dune")
        #expect(details.entry.date == "1965")
        #expect(
            details.entry.summary == "Set on the desert planet Arrakis, Dune is the story of "
                + "Paul Atreides.")
        #expect(details.entry.genres == ["Dune (Imaginary place)", "Fiction", "Science fiction"])
        let covers = "https://covers.openlibrary.org/b/id"
        #expect(
            details.urls == [
                "\(covers)/11481354-M.jpg?default=false", "\(covers)/11481354-L.jpg?default=false",
                "\(covers)/9254153-L.jpg?default=false",
            ])
        #expect(details.labels(width: 160) == ["medium", "large", "another cover 2"])
        #expect(details.labels(width: 320) == ["large", "medium", "another cover 2"])
    }

    @Test func `a search of works has pages, and pictures where it names covers`() async throws {
        let source = try ConfiguredSource(example: "open-library")
        let fields = "key,title,author_name,first_publish_year,cover_i"
        func url(_ page: Int) -> String {
            "https://openlibrary.org/search.json?q=dune&fields=\(fields)&limit=50&page=\(page)"
        }
        let answer = try Fixtures.answer("openlibrary-search.json")
        let api = AnsweringAPI([url(1): answer, url(2): answer, url(3): answer])
        let page = try #require(
            try await source.page(source.query(list: "search", parameters: ["q": "dune"]), api: api)
        )
        #expect(page.total == 120)
        #expect(page.items.map(\.entry.item.id) == ["OL893415W", "OL893502W"])
        #expect(page.items[1].entry.subtitle == "Brian Herbert, Kevin J. Anderson")
        #expect(page.items[0].entry.date == "1965")
        #expect(page.items[0].isResolved && page.items[0].chain.count == 2)
        // The work's own document may have what the search omits.
        #expect(!page.items[1].isResolved && page.items[1].chain.isEmpty)
        #expect(page.next?.parameters["page"] == "2")
        let second = try #require(page.next)
        let third = try #require(try await source.page(second, api: api)?.next)
        #expect(try await source.page(third, api: api)?.next == nil)
    }

    @Test func `a subject has its name as a parameter with a default`() async throws {
        let source = try ConfiguredSource(example: "open-library")
        let begin = "https://openlibrary.org/subjects"
        let answer = try Fixtures.answer("openlibrary-subject.json")
        let api = AnsweringAPI([
            "\(begin)/science%20fiction.json?limit=50&offset=0": answer,
            "\(begin)/fantasy.json?limit=50&offset=50": answer,
        ])
        let (list, parameters) = try source.listing(
            named: "subject", words: ["subject=science fiction"])
        let page = try #require(
            try await source.page(source.query(list: list, parameters: parameters), api: api))
        #expect(page.items.map(\.entry.title) == ["Dune"])
        #expect(page.next?.parameters == ["subject": "science fiction", "offset": "50"])
        let other = try source.query(list: "subject", parameters: ["offset": "50"])
        #expect(try await source.page(other, api: api)?.next == nil)
        #expect(source.lists.map(\.text) == ["search?q=&page=", "subject?subject=&offset="])
    }

    @Test func `an ISBN needs no request at all`() async throws {
        let source = try ConfiguredSource(example: "open-library")
        let item = try source.item(kind: "isbn", id: "9780441013593")
        let details = try #require(source.freeDetails(of: item))
        #expect(details.isComplete && details.entry.title == "ISBN 9780441013593")
        #expect(try await source.details(of: item, api: AnsweringAPI([:])) == details)
    }

    @Test func `both examples have a tab with a search`() throws {
        let covers = try ConfiguredSource(example: "cover-art-archive")
        #expect(covers.title == "Cover Art Archive" && covers.searchList?.name == "search")
        #expect(covers.browsedLists.isEmpty)
        #expect(covers.tab?.shape == PictureBox(width: 1, height: 1))
        let books = try ConfiguredSource(example: "open-library")
        #expect(books.browsedLists.map(\.name) == ["subject"])
        #expect(books.browsedLists.map(\.tabTitle) == ["Subject"])
        guard case .link(_, let website)? = books.tab?.credit.first else {
            Issue.record("its credit is not a link")
            return
        }
        #expect(["https://openlibrary.org/", "https://openlibrary.org"].contains(website))
    }
}
