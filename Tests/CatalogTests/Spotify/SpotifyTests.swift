import Catalog
import Fetch
import Testing

@Suite(.timeLimit(.minutes(1))) struct SpotifyTests {
    let source = Spotify(credentials: nil)

    @Test func `the command line's names become lists`() throws {
        let albums = try source.listing(named: "artist-albums", words: ["abc"])
        #expect(albums.list == "artists/abc/albums")
        #expect(albums.parameters.isEmpty)
        let artists = try source.listing(named: "artists", words: ["arctic", "monkeys"])
        #expect(artists.list == "artists")
        #expect(artists.parameters == ["q": "arctic monkeys"])
        for words in [[], ["abc", "def"]] {
            #expect(
                throws: Failure.invalid(
                    reason: """
                        Name one artist by its id, such as: spotify artist-albums \
                        7Ln80lUS6He07XvHI8qqHH.
                        """)
            ) {
                try source.listing(named: "artist-albums", words: words)
            }
        }
        #expect(source.lists.allSatisfy { $0.pageParameter == nil })
    }
}
