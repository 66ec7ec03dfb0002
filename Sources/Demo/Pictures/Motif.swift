import Synchronization

/// A template by the name of its file in `Templates/`.
struct Motif: Sendable, Hashable {
    let name: String

    /// The template's file as it is embedded in the program.
    var bytes: [UInt8] { Self.files[name]?() ?? [] }

    /// The template, read once in the life of the process.
    var template: Template {
        get throws {
            if let known = Self.templates.withLock({ $0[self] }) { return known }
            let template = try Template(bytes)
            Self.templates.withLock { $0[self] = template }
            return template
        }
    }

    private static let templates = Mutex<[Motif: Template]>([:])

    static let all = files.keys.sorted().map(Motif.init(name:))

    /// Returns a motif for a show or a film: often one that its title mentions, else one of its
    /// genre.
    static func suiting(
        title: String, genre: String?, _ random: inout SeededRandom
    ) -> Motif {
        let subject = titles.first { $0.words.contains(where: { title.contains($0) }) }
        if let subject, random.chance(0.6) { return random.pick(subject.motifs) }
        return random.pick(list("genre \(genre ?? "")"))
    }

    /// Returns a list of `words.txt`, with frequent motifs several times; posters if the list
    /// doesn't exist.
    static func list(_ name: String) -> [Motif] { lists[name] ?? lists["posters"] ?? [] }

    private static let lists: [String: [Motif]] = Words.rows("motifs").reduce(into: [:]) {
        $0[$1[0]] = named($1[1])
    }
    private static let titles = Words.rows("motifs.titles").map { row in
        (words: row[0].split(separator: " "), motifs: named(row[1]))
    }

    static func named(_ names: String) -> [Motif] {
        names.split(separator: " ").map { Motif(name: String($0)) }
    }

    // Functions, so that a file's bytes are made only when they are needed.
    private static let files: [String: @Sendable () -> [UInt8]] = {
        typealias Files = PackageResources
        return [
            "arches": { Files.arches_svg }, "bars": { Files.bars_svg },
            "botanical": { Files.botanical_svg }, "bouquet": { Files.bouquet_svg },
            "bust": { Files.bust_svg }, "city": { Files.city_svg },
            "contours": { Files.contours_svg }, "cutouts": { Files.cutouts_svg },
            "deep": { Files.deep_svg }, "forest": { Files.forest_svg },
            "gradient": { Files.gradient_svg }, "group": { Files.group_svg },
            "halftone": { Files.halftone_svg }, "harbor": { Files.harbor_svg },
            "horizon": { Files.horizon_svg }, "interior": { Files.interior_svg },
            "lighthouse": { Files.lighthouse_svg }, "minimal": { Files.minimal_svg },
            "modernist": { Files.modernist_svg }, "mountains": { Files.mountains_svg },
            "neon": { Files.neon_svg }, "planet": { Files.planet_svg },
            "ridgelines": { Files.ridgelines_svg }, "shapes": { Files.shapes_svg },
            "sitter": { Files.sitter_svg }, "stage": { Files.stage_svg },
            "stillLife": { Files.stillLife_svg }, "sunburst": { Files.sunburst_svg },
            "tiles": { Files.tiles_svg }, "waves": { Files.waves_svg },
            "windmill": { Files.windmill_svg }, "winter": { Files.winter_svg },
        ]
    }()
}
