/// A subject of pictures. Each picture draws it with other numbers.
struct Motif: Sendable, Hashable {
    let name: String

    /// The area that it is drawn for.
    var size: (width: Double, height: Double) { Self.table[name]?.size ?? (1_000, 1_000) }

    /// Colors that suit it.
    var palettes: [Palette] {
        let row = Words.rows("motifs.palettes").first {
            $0[0].split(separator: " ").contains(name[...])
        }
        return (row?[1] ?? "dusk").split(separator: " ").compactMap { Palette.all[String($0)] }
    }

    func draw(_ pen: inout Pen) { Self.table[name]?.draw(&pen) }

    static let all = table.keys.sorted().map(Motif.init(name:))

    private typealias Entry = (
        size: (width: Double, height: Double), draw: @Sendable (inout Pen) -> Void
    )

    private static let table: [String: Entry] = {
        let (poster, square, wide) = ((680.0, 1_000.0), (1_000.0, 1_000.0), (1_300.0, 900.0))
        return [
            "mountains": (poster, Posters.mountains), "city": (poster, Posters.city),
            "planet": (poster, Posters.planet), "shapes": (poster, Posters.shapes),
            "horizon": (poster, Posters.horizon), "waves": (poster, Posters.waves),
            "forest": (poster, Posters.forest), "neon": (poster, Posters.neon),
            "arches": (poster, Posters.arches), "botanical": (poster, Posters.botanical),
            "lighthouse": (poster, Posters.lighthouse), "deep": (poster, Posters.deep),
            "modernist": (square, Covers.modernist), "gradient": (square, Covers.gradient),
            "sunburst": (square, Covers.sunburst), "minimal": (square, Covers.minimal),
            "ridgelines": (square, Covers.ridgelines), "bars": (square, Covers.bars),
            "cutouts": (square, Covers.cutouts), "halftone": (square, Covers.halftone),
            "contours": (square, Covers.contours),
            "bust": (square, People.bust), "group": (square, People.group),
            "stage": (square, People.stage),
            "stillLife": ((1_250, 1_000), Paintings.stillLife), "harbor": (wide, Paintings.harbor),
            "sitter": ((1_000, 1_250), Paintings.sitter), "windmill": (wide, Paintings.windmill),
            "winter": (wide, Paintings.winter), "tiles": (square, Paintings.tiles),
            "bouquet": ((1_000, 1_250), Paintings.bouquet),
            "interior": ((1_000, 1_200), Paintings.interior),
        ]
    }()

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
}
