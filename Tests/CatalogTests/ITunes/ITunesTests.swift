import Catalog
import Fetch
import PlayedAPIs
import Testing

@Suite(.timeLimit(.minutes(1))) struct ITunesTests {
    let source = ITunes()

    @Test(arguments: [
        ("1441164816", "1441164816"), ("007", "7"),
        (
            "999999999999999",
            "999999999999999"
        ),
    ])
    func `an id is a number without leading zeros`(given: String, canonical: String) throws {
        let item = try source.item(kind: "album", id: given)
        #expect(item.description == "itunes/album/\(canonical)")
    }

    @Test(arguments: ["", "0", "-1", "1e3", "abc", "1234567890123456"])
    func `an id that is not a number is refused`(id: String) {
        #expect(
            throws: Failure.invalid(
                reason: "An iTunes id is a positive number of at most 15 digits, not “\(id)”.")
        ) {
            try source.item(kind: "album", id: id)
        }
    }

    @Test func `unknown kinds and lists are absent`() {
        #expect(
            throws: Failure.notFound(reason: "iTunes has no kind “song”; it has “album”.")
        ) {
            try source.item(kind: "song", id: "1")
        }
        #expect(
            throws: Failure.notFound(reason: "iTunes has no list “songs”; it has “albums”.")
        ) {
            try source.query(list: "songs", parameters: ["term": "daft punk"])
        }
    }

    @Test(
        arguments: [
            ([:], "iTunes's list “albums” needs a search term as “term”."),
            (["term": " da "], "A search term needs at least 3 characters."),
            (
                ["q": "daft"],
                "iTunes's list “albums” has no parameter “q”; "
                    + "it knows “term”, “title”, “from”, “to” and “genre”."
            ),
            (
                ["term": "daft", "page": "1"],
                "iTunes's list “albums” has no parameter “page”; "
                    + "it knows “term”, “title”, “from”, “to” and “genre”."
            ),
        ] as [([String: String], String)])
    func `a query that can't be meant is refused with a sentence`(
        given: [String: String], sentence: String
    ) {
        #expect(throws: Failure.invalid(reason: sentence)) {
            try source.query(list: "albums", parameters: given)
        }
    }

    @Test(arguments: [
        ("daft punk", "daft+punk"), ("  a   b\tc ", "a+b+c"), ("AC/DC", "AC%2FDC"),
        ("1.5-2_x*", "1.5-2_x*"), ("~a&b=c+d", "%7Ea%26b%3Dc%2Bd"), ("Sigur Rós", "Sigur+R%C3%B3s"),
    ])
    func `a term is written as the API wants it`(term: String, written: String) async throws {
        let url =
            "https://itunes.apple.com/search?term=\(written)&entity=album&media=music&limit=200"
            + "&country=US"
        let api = ScriptedAPI(json: [url: ITunesAlbum.results([]).text])
        let query = try source.query(list: "albums", parameters: ["term": term])
        #expect(
            try await source.page(query, api: api)
                == CatalogPage(items: [], next: nil, total: 0, firstIndex: 0))
        #expect(api.asked.map(\.url) == [url])
        #expect(api.asked.map(\.allowedHosts) == [[HostPattern("itunes.apple.com")]])
    }

    @Test func `the API is asked once in 3 seconds, one call at a time`() {
        let policies = source.hostPolicies.map { ($0.pattern.description, $0.policy) }
        #expect(policies.map(\.0) == ["itunes.apple.com", "*.mzstatic.com"])
        #expect(
            policies.first?.1
                == HostPolicy(maxConcurrent: 1, rate: .init(count: 1, per: .seconds(3))))
    }

    @Test func `words of the command line are a search term without pages`() throws {
        let listing = try source.listing(named: "albums", words: ["daft", "punk"])
        #expect(listing.list == "albums")
        #expect(listing.parameters == ["term": "daft punk"])
        #expect(source.pageParameter == nil)
    }
}
