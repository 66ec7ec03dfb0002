import Catalog
import Fetch
import Testing

@Suite(.timeLimit(.minutes(1))) struct SpotifyTests {
    let source = Spotify(credentials: nil)

    @Test func `ids keep their case`() throws {
        let item = try source.item(kind: "album", id: "7Ln80lUS6He07XvHI8qqHH")
        #expect(item.description == "spotify/album/7Ln80lUS6He07XvHI8qqHH")
    }

    @Test(arguments: ["", "a b", "a/b", "..", "a-b", "ä", "٣", String(repeating: "a", count: 65)])
    func `an id has only letters and digits`(id: String) {
        let expected = Failure.invalid(
            reason: """
                A Spotify id consists of letters and digits, such as 7Ln80lUS6He07XvHI8qqHH, not \
                “\(id.count > 40 ? id.prefix(39) + "…" : id)”.
                """)
        #expect(throws: expected) { try source.item(kind: "artist", id: id) }
        if !id.contains("/") {
            #expect(throws: expected) {
                try source.query(list: "artists/\(id)/albums", parameters: [:])
            }
        }
    }

    @Test func `unknown kinds are absent`() {
        #expect(
            throws: Failure.notFound(
                reason: "Spotify has no kind “track”; it has “artist” and “album”.")
        ) {
            try source.item(kind: "track", id: "1")
        }
    }

    @Test(arguments: ["albums", "artists/abc", "artists/abc/albums/1", "albums/abc/artists", ""])
    func `unknown lists are absent`(list: String) {
        #expect(
            throws: Failure.notFound(
                reason: """
                    Spotify has no list “\(list)”; it has “artists” and “artists/{id}/albums”.
                    """)
        ) {
            try source.query(list: list, parameters: [:])
        }
    }

    @Test(
        arguments: [
            ("artists", ["q": " arctic "], ["q": "arctic", "offset": "0"]),
            ("artists", ["q": "arctic", "offset": "010"], ["q": "arctic", "offset": "10"]),
            ("artists/abc/albums", [:], ["offset": "0"]),
            ("artists/abc/albums", ["offset": "990"], ["offset": "990"]),
        ] as [(String, [String: String], [String: String])])
    func `a query is checked and completed`(
        list: String, given: [String: String], expected: [String: String]
    ) throws {
        #expect(
            try source.query(list: list, parameters: given)
                == ListQuery(source: "spotify", list: list, parameters: expected))
    }

    @Test(
        arguments: [
            ("artists", [:], "Spotify's list “artists” needs a search term as “q”."),
            ("artists", ["q": "ab"], "A search term needs at least 3 characters."),
            (
                "artists/abc/albums", ["offset": "991"],
                "“offset” must be a whole number from 0 to 990, not “991”."
            ),
            (
                "artists/abc/albums", ["q": "abc"],
                "Spotify's list “artists/abc/albums” has no parameter “q”; "
                    + "it knows “offset”, “title”, “from”, “to” and “genre”."
            ),
        ] as [(String, [String: String], String)])
    func `a query that can't be meant is refused with a sentence`(
        list: String, given: [String: String], sentence: String
    ) {
        #expect(throws: Failure.invalid(reason: sentence)) {
            try source.query(list: list, parameters: given)
        }
    }

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
        #expect(source.pageParameter == nil)
    }

    @Test func `each host has its profile`() {
        let policies = source.hostPolicies.map { ($0.pattern.description, $0.policy) }
        #expect(
            policies.map(\.0) == ["api.spotify.com", "accounts.spotify.com", "i.scdn.co"])
        #expect(policies.first?.1.rate == .init(count: 60, per: .seconds(30)))
    }
}
