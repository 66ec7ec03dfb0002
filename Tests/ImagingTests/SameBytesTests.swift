import TestSupport
import Testing

@testable import Imaging

/// The same original and settings give the same bytes, whatever else is wanted.
@Suite(.timeLimit(.minutes(1))) struct SameBytesTests {
    private static let levels = [
        Level(name: "xs", width: 20, height: 30), Level(name: "s", width: 40, height: 60),
        Level(name: "m", width: 80, height: 120), Level(name: "xl", width: 900, height: 1_200),
    ]

    /// Every subset but the empty one, forwards and backwards.
    private static let requests: [[Level]] = (1..<16).flatMap { bits in
        let chosen = levels.indices.filter { bits >> $0 & 1 == 1 }.map { levels[$0] }
        return [chosen, chosen.reversed()]
    }

    /// Shrunk differently for small and large levels, by the planar lane, by libvips, and not at all.
    private static let originals: [(name: String, bytes: [UInt8])] = {
        let jpeg = FixtureImages.jpeg(width: 1_001, height: 1_403)
        return [
            ("planar", jpeg), ("libvips", JPEGFixture.general(jpeg)),
            (
                "PNG",
                FixtureImages.png(width: 203, height: 301) { x, y, band in x * (band + 1) ^ y }
            ),
            (
                "PNG with alpha",
                FixtureImages.png(width: 203, height: 301, .rgba) { x, y, band in
                    x * (band + 1) ^ y
                }
            ),
        ]
    }()

    @Test(arguments: Slow.isOn ? 0..<3 : 0..<1, Slow.isOn ? [1, 2] : [2])
    func `every subset of the levels in every order gives the same bytes`(
        original: Int, threads: Int
    ) async throws {
        var configuration = ImagingConfiguration.patient
        configuration.threads = threads
        configuration.levels = Self.levels
        let renderer = try Renderer(configuration)
        let bytes = Self.originals[original].bytes
        let digests = try await withThrowingTaskGroup(of: [(Rendition, String)].self) { group in
            for levels in Self.requests {
                let renditions = levels.flatMap { level in
                    [ThumbnailFormat.jpeg, .webp].map { Rendition(level: level, format: $0) }
                }
                group.addTask {
                    try await renderer.render(bytes, renditions).thumbnails.map {
                        ($0.rendition, Fingerprint.hex($0.bytes))
                    }
                }
            }
            return try await group.reduce(into: [Rendition: Set<String>]()) { digests, made in
                for (rendition, digest) in made { digests[rendition, default: []].insert(digest) }
            }
        }
        await renderer.shutdown()
        #expect(digests.count == 8)
        for (rendition, digests) in digests { #expect(digests.count == 1, "\(rendition)") }
    }

    @Test func `the levels of a thumbnail's chain are part of its fingerprint`() {
        func recipe(_ levels: [Level]) -> String {
            var configuration = ImagingConfiguration()
            configuration.levels = levels
            return configuration.recipe(
                for: Rendition(level: Self.levels[1], format: .jpeg))
        }
        let all = recipe(Self.levels)
        #expect(recipe(Array(Self.levels[1...])) == all)
        #expect(recipe(Array(Self.levels[..<3])) == all)
        #expect(recipe([Self.levels[1], Self.levels[3]]) != all)
        #expect(recipe([]) != all)
    }

    @Test func `chains follow from the configured levels alone`() {
        let seen = PixelSize(width: 2_000, height: 3_000)
        func chains(_ names: String...) -> [[Int]] {
            LevelChain.chains(
                of: seen, configured: Level.defaults,
                wanted: Level.defaults.filter { names.contains($0.name) }
            ).map { $0.sizes.map(\.width) }
        }
        #expect(chains("xl") == [[1_280]])
        #expect(chains("l") == [[640, 320, 160, 80]])
        #expect(chains("xs") == [[640, 320, 160, 80]])
        #expect(chains("xl", "m") == [[1_280], [640, 320, 160, 80]])
        // A level that isn't configured has a chain of its own.
        let other = Level(name: "other", width: 500, height: 750)
        let alone = LevelChain.chains(of: seen, configured: Level.defaults, wanted: [other])
        #expect(alone.map { $0.sizes.map(\.width) } == [[500]])
        // Of a JPEG 2000 levels that need the whole picture are apart from those that need a half.
        func runs(_ names: String...) -> [[Int]] {
            let wanted = Level.defaults.filter { names.contains($0.name) }
            return LevelChain.chains(of: seen, configured: Level.defaults, wanted: wanted)
                .flatMap { $0.runs(of: seen, wanted: Set(wanted.map { $0.size(of: seen) })) }
                .map { $0.sizes.map(\.width) }
        }
        #expect(runs("xl", "m") == [[1_280], [320, 160, 80]])
        #expect(runs("m") == [[320, 160, 80]])
        #expect(runs("l", "xs") == [[640], [320, 160, 80]])
        // A level that is nearly as large as the original isn't made for the others.
        func poster(_ names: String..., width: Int = 680, height: Int = 1_000) -> [[Int]] {
            let wanted = Level.defaults.filter { names.contains($0.name) }
            return LevelChain.chains(
                of: PixelSize(width: width, height: height), configured: Level.defaults,
                wanted: wanted
            ).map { $0.sizes.map(\.width) }
        }
        #expect(poster("l", "m") == [[640], [320, 160, 80]])
        #expect(poster("l") == [[640], [320, 160, 80]])
        #expect(poster("m") == [[320, 160, 80]])
        #expect(poster("xl", "s") == [[680], [320, 160, 80]])
        #expect(poster("m", width: 960, height: 1_440) == [[640, 320, 160, 80]])
        // An original smaller than all levels has one size.
        let tiny = LevelChain.chains(
            of: PixelSize(width: 30, height: 40), configured: Level.defaults,
            wanted: Level.defaults)
        #expect(tiny.map { $0.sizes.map(\.width) } == [[30]])
    }
}
