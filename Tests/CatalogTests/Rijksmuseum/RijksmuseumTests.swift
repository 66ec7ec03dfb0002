import Catalog
import Fetch
import Testing

@Suite(.timeLimit(.minutes(1))) struct RijksmuseumTests {
    let source = Rijksmuseum()

    @Test func `a search asks for pictures, with every parameter there is`() async throws {
        let given = [
            "title": "  Nachtwacht & meer ", "creator": "Rembrandt", "objectNumber": "SK-*",
            "creationDate": "16??", "type": "ei", "technique": "ets", "material": "",
            "pageToken": " e=+/ ",
        ]
        let query = try source.query(list: "objects", parameters: given)
        #expect(
            query.parameters == [
                "title": "Nachtwacht & meer", "creator": "Rembrandt", "objectNumber": "SK-*",
                "creationDate": "16??", "type": "ei", "technique": "ets", "pageToken": " e=+/ ",
            ])
        let url =
            "https://data.rijksmuseum.nl/search/collection?title=Nachtwacht%20%26%20meer"
            + "&creator=Rembrandt&objectNumber=SK-%2A&creationDate=16%3F%3F&type=ei&technique=ets"
            + "&imageAvailable=true&pageToken=%20e%3D%2B%2F%20"
        let museum = MuseumScript([url: #"{"type":"OrderedCollectionPage"}"#])
        #expect(try await source.page(query, api: museum)?.items.isEmpty == true)
        #expect(museum.calls.map(\.url) == [url])
        #expect(
            museum.calls.map { $0.allowedHosts.map(\.description) } == [["data.rijksmuseum.nl"]])
        #expect(museum.calls.map { $0.keeping?.key } == [url])
    }

    @Test func `the title is the list's own parameter`() {
        #expect(source.list("objects")?.ownFilters == ["title"])
        #expect(TVMaze().list("shows")?.ownFilters == [])
    }
}
