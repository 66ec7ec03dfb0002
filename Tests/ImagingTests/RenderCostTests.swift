import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct RenderCostTests {
    private static let renditions = Level.defaults.map { Rendition(level: $0, format: .webp) }

    private static func header(
        _ format: ImageFormat, _ width: Int, _ height: Int, isProgressive: Bool = false,
        samples: Double = 3, depth: Int = 8, hasAlpha: Bool = false
    ) -> Header {
        var header = Header(
            format: format, width: width, height: height, hasAlpha: hasAlpha,
            isProgressive: isProgressive)
        header.samples = samples
        header.depth = depth
        if format == .jpeg { header.planes = .both }
        return header
    }

    private static func cost(_ header: Header, bytes: Int = 0) -> RenderCost {
        RenderCost(header, bytes: bytes, renditions: renditions, levels: Level.defaults)
    }

    /// What the process grew by, in MiB, at all default levels.
    @Test(arguments: [
        (header(.jpeg, 6_000, 4_000, samples: 1.5), 2_516_935, 11.8),
        (header(.jpeg, 6_000, 4_000, isProgressive: true, samples: 1.5), 2_303_739, 76.5),
        (header(.jpeg, 6_000, 4_000, isProgressive: true), 5_132_472, 147.3),
        (header(.png, 4_000, 2_000), 15_116_688, 20.9),
        (header(.png, 6_000, 4_000, isProgressive: true), 45_651_079, 113.0),
        (header(.webp, 6_000, 4_000), 2_047_398, 182.2),
        (header(.gif, 4_000, 2_000), 10_330_518, 46.0),
        (header(.avif, 4_000, 2_000, samples: 1.5), 207_795, 52.5),
        (header(.avif, 4_000, 2_000), 1_600_000, 104.2),
        (header(.heic, 4_000, 2_000, samples: 1.5), 1_640_213, 63.2),
        (header(.jp2, 4_000, 2_000), 10_738_322, 65.8),
        (header(.tiff, 4_000, 2_000), 17_500_000, 39.8),
        (header(.jxl, 4_000, 2_000, hasAlpha: true), 700_000, 332.2),
        (header(.jxl, 4_000, 3_000, hasAlpha: true), 1_489_054, 445),
        (header(.jxl, 4_000, 3_000, depth: 16), 2_297_259, 237),
        (header(.heic, 8_064, 6_048, samples: 1.5), 4_541_791, 329),
        (header(.heic, 7_008, 4_672, samples: 1.5, depth: 10), 3_784_280, 426),
        (header(.heic, 7_008, 4_672, depth: 10), 3_782_525, 403),
        (header(.jpeg, 11_648, 8_736, isProgressive: true, samples: 1.5), 13_148_452, 310),
    ])
    func `predicts no less than was measured, and not three times as much`(
        header: Header, bytes: Int, measured: Double
    ) {
        let predicted = Double(Self.cost(header, bytes: bytes).peak) / 1_048_576
        #expect(predicted >= measured)
        #expect(predicted < 3 * measured)
    }

    @Test func `a render in a child counts the shared memory and the copy of its reply`() {
        let header = Self.header(.jpeg, 680, 1_000)
        let levels = [Level(name: "m", width: 340, height: 500)]
        let formats: [(ThumbnailFormat, Int)] = [(.webp, 1), (.png, 4)]
        for (format, bytes) in formats {
            let renditions = levels.map { Rendition(level: $0, format: format) }
            let here = RenderCost(header, bytes: 100_000, renditions: renditions, levels: levels)
            let there = RenderCost(
                header, bytes: 100_000, renditions: renditions, levels: levels, isIsolated: true)
            #expect(there.peak - here.peak == 100_000 + 2 * bytes * 340 * 500)
        }
    }

    @Test func `an SVG costs by the length of its text, compressed or not`() throws {
        func peak(_ original: [UInt8]) throws -> Int {
            let header = try Limits(ImagingConfiguration()).header(
                of: original, .svg, Level.defaults)
            return Self.cost(header, bytes: original.count).peak
        }
        let small = try peak([0x3C])
        let long = try peak([UInt8](repeating: 0x20, count: 1_000_000))
        let packed = try peak([0x1F, 0x8B] + [UInt8](repeating: 0, count: 99_998))
        #expect(60_000_000..<63_000_000 ~= long - small)
        #expect(60_000_000..<63_000_000 ~= packed - small)
    }

    @Test
    func `covers and photographs are quick; large whole-frame pictures and slow decoders are not`()
    {
        #expect(Self.cost(Self.header(.jpeg, 6_000, 4_000, samples: 1.5)).lane == .quick)
        #expect(Self.cost(Self.header(.png, 1_000, 1_500)).lane == .quick)
        #expect(Self.cost(Self.header(.jpeg, 680, 1_000, isProgressive: true)).lane == .quick)
        #expect(Self.cost(Self.header(.jpeg, 1_400, 1_000, isProgressive: true)).lane == .slow)
        #expect(Self.cost(Self.header(.webp, 2_000, 1_000)).lane == .slow)
        #expect(Self.cost(Self.header(.avif, 100, 100)).lane == .slow)
        #expect(Self.cost(Self.header(.jpeg, 12_000, 8_000, samples: 1.5)).lane == .slow)
        #expect(Self.cost(Self.header(.png, 3_000, 2_000)).lane == .slow)
        #expect(Self.cost(Self.header(.png, 9_000, 9_000), bytes: 60_000_000).lane == .slow)
    }

    @Test(arguments: ImageFormat.allCases)
    func `a header that claims the largest numbers costs the most and is refused`(
        format: ImageFormat
    ) {
        for (width, height) in [(Int.max, Int.max), (.max, 1), (1 << 52, 1 << 52)] {
            var header = Self.header(format, width, height, samples: 64)
            (header.frames, header.rowsAtOnce, header.depth) = (.max, 1 << 20, 64)
            let cost = Self.cost(header, bytes: .max)
            #expect(cost.peak == .max)
            #expect(cost.lane == .slow)
            #expect(throws: ImagingError.self) {
                try RenderPolicy(ImagingConfiguration(), cores: 2).check(cost)
            }
            #expect(throws: ImagingError.self) {
                try Limits(ImagingConfiguration()).check(header)
            }
        }
    }

    @Test func `a progressive picture may be refused although the same as baseline is not`() throws
    {
        let policy = RenderPolicy(ImagingConfiguration(), cores: 2)
        try policy.check(Self.cost(Self.header(.jpeg, 10_000, 10_000)))
        #expect(throws: ImagingError.self) {
            try policy.check(Self.cost(Self.header(.jpeg, 10_000, 10_000, isProgressive: true)))
        }
    }

    /// With a budget of 1 GiB, as a machine of 4 GB has it.
    @Test(arguments: [
        (header(.heic, 8_064, 6_048, samples: 1.5), 5_000_000),
        (header(.heic, 7_008, 4_672, samples: 1.5, depth: 10), 5_000_000),
        (header(.jpeg, 11_648, 8_736, samples: 1.5), 60_000_000),
        (header(.png, 9_504, 6_336), 180_000_000),
        (header(.jxl, 4_000, 4_000), 15_000_000),
    ])
    func `pictures of today's cameras fit the memory that the defaults have`(
        header: Header, bytes: Int
    ) throws {
        let configuration = ImagingConfiguration()
        let limits = Limits(configuration)
        try limits.check(header)
        try limits.check(bytes: bytes)
        try RenderPolicy(configuration, cores: 2).check(Self.cost(header, bytes: bytes))
    }

    @Test func `an SVG is drawn to the size of a thumbnail, whatever its encoder takes`() {
        let configuration = ImagingConfiguration()
        let header = HeaderReader.undrawn(configuration.levels)
        let costs = [ThumbnailFormat.png, .avif].map { format in
            RenderCost(
                header, bytes: 1_000,
                renditions: configuration.levels.map { Rendition(level: $0, format: format) },
                levels: configuration.levels
            ).peak >> 20
        }
        // 87 MiB were measured for AVIF.
        #expect((87...200).contains(costs[1]), "\(costs)")
    }

    @Test func `the largest contact sheet of the defaults fits their memory`() throws {
        let configuration = ImagingConfiguration()
        try RenderPolicy(configuration, cores: 2).check(
            RenderCost(drawing: configuration.sheet.maxPixels))
    }

    @Test func `a child may map twice what is predicted, and for an SVG no more than that`() {
        let level = Level(name: "s", width: 9, height: 9)
        let renditions = [Rendition(level: level, format: .webp)]
        for (format, mapped) in [(ImageFormat.webp, 2), (.svg, 1)] {
            let header = Header(format: format, width: 90, height: 90)
            let cost = RenderCost(header, bytes: 100, renditions: renditions, levels: [level])
            #expect(cost.mapped == mapped)
            let pyramid = RenderCost(pyramidOf: header, bytes: 100, isIsolated: true)
            #expect(pyramid.mapped == mapped)
        }
    }
}
