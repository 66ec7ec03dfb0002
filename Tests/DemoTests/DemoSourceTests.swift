import Demo
import Testing

@Suite(.timeLimit(.minutes(1))) struct DemoSourceTests {
    @Test func `every catalog has something to warm, and something to fall back from`() {
        let sources = DemoOrigin().sources
        #expect(
            sources.map { "\($0.source) \($0.list)" } == [
                "tvmaze shows", "itunes albums", "spotify artists", "spotify artist-albums",
                "tmdb popular", "rijksmuseum objects",
            ])
        for source in sources {
            let expected = source.expected
            #expect((15...300).contains(expected.items), "\(source.list)")
            #expect((1...expected.items / 3).contains(expected.placeholders), "\(source.list)")
            // The museum's pictures either are there or aren't.
            #expect((expected.fallbacks > 0) == (source.source != "rijksmuseum"), "\(source.list)")
            #expect(source.example.hasPrefix("\(source.source)/"))
        }
    }

    @Test func `equal seeds expect the same, and a small demo has all catalogs, too`() {
        #expect(DemoOrigin().sources == DemoOrigin().sources)
        var small = DemoOriginConfiguration()
        small.shows = 5
        #expect(DemoOrigin(small).sources.count == 6)
    }
}
