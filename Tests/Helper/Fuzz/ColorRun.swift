import Imaging
import TestSupport

/// The loop over pictures in one child: each is rendered twice, after two others of different colors, and
/// must give the same bytes. A decoder that shows memory which it never wrote gives those colors.
struct ColorRun {
    private let loop: FuzzLoop
    private var options: FuzzOptions { loop.options }

    init(_ options: FuzzOptions, _ current: String) throws {
        loop = try FuzzLoop(options, current)
    }

    /// Returns whether no fault was found.
    func run() async throws -> Bool {
        // One thread has one child.
        var configuration = FuzzRun.configuration
        configuration.threads = 1
        let renderer = try Renderer(configuration)
        let colors = try await Colors(renderer)
        var seeds = try await Seeds.drawn(renderer)
        if let directory = options.directory { seeds += try Seeds.files(in: directory) }
        let mutator = Mutator(seeds, seed: options.seed)
        let isFine = try await loop.run("\(seeds.count) pictures", sayingEvery: 1_000) { number in
            // The seeds themselves first.
            let input = number < seeds.count ? seeds[number] : mutator.input(number)
            loop.keep(number, input)
            var outcomes: [Outcome] = []
            for color in colors.like(input) {
                guard case .made = await outcome(color, renderer) else {
                    loop.fault(number, "the picture of one color is not rendered")
                    return
                }
                outcomes.append(await outcome(input, renderer))
            }
            compare(outcomes, number)
        }
        await renderer.shutdown()
        return isFine
    }

    private enum Outcome: Equatable {
        case made([[UInt8]])
        case refused(String)
        /// It depends on the machine whether it is rendered.
        case unsure(String)
    }

    /// Both lanes, at sizes that show single pixels of a seed.
    private static let renditions = [ThumbnailFormat.png, .jpeg].map {
        Rendition(level: Level(name: "fuzz", width: 64, height: 64), format: $0)
    }

    private func outcome(_ picture: [UInt8], _ renderer: Renderer) async -> Outcome {
        do throws(ImagingError) {
            return .made(
                try await renderer.render(picture, Self.renditions).thumbnails.map(\.bytes))
        } catch {
            switch error {
            case .notAnImage, .unsupported, .broken, .quarantined: return .refused(error.kind)
            case .crashed, .tooSlow, .overLimit, .overloaded: return .unsure(error.kind)
            case .misconfigured, .stopped, .canceled: return .refused(error.description)
            }
        }
    }

    private func compare(_ outcomes: [Outcome], _ number: Int) {
        switch (outcomes[0], outcomes[1]) {
        case (.unsure(let kind), _), (_, .unsure(let kind)): loop.count(kind)
        case (.refused(let kind), let other) where other == .refused(kind): loop.count(kind)
        case (let one, let other) where one == other: loop.count("same")
        case (.made, .made):
            loop.fault(number, "it shows what the child rendered before")
        default: loop.fault(number, "it depends on what the child rendered before")
        }
    }
}

/// Pictures of two colors in each format that can be encoded.
private struct Colors {
    /// By format; those of `.png` are for all others.
    private var pairs: [ThumbnailFormat: [[UInt8]]] = [:]

    init(_ renderer: Renderer) async throws {
        // Larger than seeds, so that all memory that a seed may get has their colors.
        let level = Level(name: "color", width: 240, height: 180)
        let renditions = ThumbnailFormat.allCases.map { Rendition(level: level, format: $0) }
        for color in [[230, 40, 90], [20, 200, 160]] {
            let drawn = FixtureImages.png(width: 240, height: 180) { x, y, band in
                color[band] + (x ^ y) % 16
            }
            for thumbnail in try await renderer.render(drawn, renditions).thumbnails {
                pairs[thumbnail.rendition.format, default: []].append(thumbnail.bytes)
            }
        }
    }

    /// Returns two pictures in the format of another one, or in one whose decoder is alike.
    func like(_ picture: [UInt8]) -> [[UInt8]] {
        let format: ThumbnailFormat =
            switch ImageFormat.sniff(picture) {
            case .jpeg: .jpeg
            case .webp: .webp
            case .avif, .heic: .avif
            default: .png
            }
        return pairs[format] ?? []
    }
}
