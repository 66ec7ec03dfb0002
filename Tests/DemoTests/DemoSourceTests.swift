import Imaging
import PlayedAPIs
import TestSupport
import Testing

@testable import Demo

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

    @Test func `a small demo has all catalogs, too`() {
        var small = DemoOriginConfiguration()
        small.shows = 5
        #expect(DemoOrigin(small).sources.count == 6)
    }

    /// A smaller catalog begins a larger one of the same seed.
    @Test func `equal seeds give equal catalogs, and other seeds others`() {
        let (seed, demo) = (DemoOriginConfiguration().seed, PlayedDemo.origin)
        let shows = demo.shows.shows
        #expect(ShowCatalog(seed: seed, count: 40).shows == Array(shows.prefix(40)))
        #expect(ShowCatalog(seed: seed + 1, count: 40).shows != Array(shows.prefix(40)))
        #expect(Set(shows.map(\.name)).count == shows.count)
        let artists = demo.music.artists
        #expect(MusicCatalog(seed: seed, artists: 9).artists == Array(artists.prefix(9)))
        #expect(MusicCatalog(seed: seed + 1, artists: 9).artists != Array(artists.prefix(9)))
        #expect(Set(artists.map(\.name)).count == artists.count)
        let objects = demo.objects.objects
        #expect(ObjectCatalog(seed: seed, count: 7).objects == Array(objects.prefix(7)))
        #expect(ObjectCatalog(seed: seed + 1, count: 7).objects != Array(objects.prefix(7)))
        #expect(Set(objects.map(\.image)).count == objects.count)
        let films = demo.films.popular(page: 3)
        #expect(FilmCatalog(seed: seed).popular(page: 3) == films)
        #expect(FilmCatalog(seed: seed + 1).popular(page: 3) != films)
    }
}

@Suite(.timeLimit(.minutes(2))) struct CorpusTests {
    /// Of several, sizes differ. One alone has the median's.
    @Test(
        .enabled(if: Slow.isOn),
        arguments: [
            (Corpus.Kind.posters, 112_000, 5), (.covers, 84_000, 5), (.large, 1_300_000, 1),
        ])
    func `the median of benchmark pictures is within a tenth of that of real ones`(
        kind: Corpus.Kind, bytes: Int, count: Int
    ) throws {
        let corpus = Corpus(seed: 1)
        let sizes = try (0..<count).map { try corpus.picture(kind, $0, of: count).count }.sorted()
        #expect(abs(sizes[count / 2] - bytes) < bytes / 10, "\(sizes)")
        #expect(Set(sizes).count == count)
    }

    @Test func `equal seeds make equal bytes, and other seeds other bytes`() throws {
        func file(_ seed: UInt64, _ index: Int) throws -> [UInt8] {
            try Corpus(seed: seed).picture(.covers, index, of: 3)
        }
        #expect(try file(1, 0) == file(1, 0))
        #expect(try file(1, 0) != file(1, 1))
        #expect(try file(1, 0) != file(2, 0))
    }
}

@Suite(.timeLimit(.minutes(1))) struct CorpusInputTests {
    @Test(arguments: Corpus.Input.allCases)
    func `each kind of benchmark original has the format that its name says`(
        kind: Corpus.Input
    ) throws {
        let canvas = try Canvas(width: 96, height: 64, fill: RGB(red: 30, green: 90, blue: 200))
        let formats: [String: ImageFormat] = [
            "jpg": .jpeg, "png": .png, "webp": .webp, "tif": .tiff, "gif": .gif, "avif": .avif,
            "jxl": .jxl, "jp2": .jp2,
        ]
        #expect(try ImageFormat.sniff(kind.file(of: canvas)) == formats[kind.fileExtension])
    }
}

@Suite(.timeLimit(.minutes(1))) struct SeededRandomTests {
    @Test func `the numbers are SplitMix64's`() {
        var random = SeededRandom(seed: 0)
        #expect(
            (0..<3).map { _ in random.next() }
                == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F])
    }

    @Test func `another salt is another stream`() {
        var streams = (0..<50).map { SeededRandom(seed: 7, 1, UInt64($0)) }
        let first = streams.indices.map { streams[$0].next() }
        #expect(Set(first).count == 50)
    }

    @Test func `draws stay within their range and reach its ends`() {
        var random = SeededRandom(seed: 3)
        let draws = (0..<400).map { _ in random.integer(in: -2...2) }
        #expect(Set(draws) == [-2, -1, 0, 1, 2])
        #expect((0..<400).allSatisfy { _ in (0..<1).contains(random.fraction()) })
        #expect((0..<400).allSatisfy { _ in (1...2).contains(random.number(in: 1...2)) })
        #expect(random.picks(3, of: Array(0..<9)).count == 3)
        #expect(random.picks(3, of: [1, 2]) == [1, 2])
    }

    @Test func `names show nothing of a number, and no two are equal`() {
        let names = (0..<2_000).map { SeededRandom.name(41, $0, length: 22) }
        #expect(Set(names).count == 2_000)
        #expect(names.allSatisfy { $0.count == 22 && !$0.contains("-") })
        #expect(names[7] == SeededRandom.name(41, 7, length: 22))
        #expect(names[7] != SeededRandom.name(42, 7, length: 22))
        let codes = SeededRandom.name(1, 7, length: 24, radix: 16)
        #expect(codes.allSatisfy(\.isHexDigit) && codes.lowercased() == codes)
    }
}
