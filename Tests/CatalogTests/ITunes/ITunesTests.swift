import Catalog
import Fetch
import JSON
import PlayedAPIs
import Testing

@Suite(.timeLimit(.minutes(1))) struct ITunesTests {
    let source = ITunes()

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

    @Test func `words of the command line are a search term without pages`() throws {
        let listing = try source.listing(named: "albums", words: ["daft", "punk"])
        #expect(listing.list == "albums")
        #expect(listing.parameters == ["term": "daft punk"])
        #expect(source.list("albums")?.pageParameter == nil)
    }
}
