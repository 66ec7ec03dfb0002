import Imaging

/// Sets a poster's title and its credits.
struct Lettering {
    let title: String
    let area: Scene.TitleArea
    /// One line, or two smaller ones.
    let credits: (inout SeededRandom) -> [String]

    init(
        title: String, area: Scene.TitleArea,
        credits: @escaping (inout SeededRandom) -> [String]
    ) {
        self.title = title
        self.area = area
        self.credits = credits
    }

    init(show: DemoShow, area: Scene.TitleArea) {
        self.init(title: show.title, area: area) { random in
            let author = "\(random.pick(Self.initials)). \(random.pick(Self.surnames))"
            let year = show.firstYear.map { " · \($0)" } ?? ""
            let line = "\(show.channel.name) presents · a series by \(author)\(year)".uppercased()
            // Hair spaces between the letters, as credits are set.
            return [line.map(String.init).joined(separator: "\u{200A}")]
        }
    }

    /// The whole of it, over a finished picture.
    func draw(on scene: inout Scene) throws(ImagingError) {
        let typeface = scene.random.pick(area.typefaces)
        let alignment: TextStyle.Alignment = scene.random.chance(0.6) ? .centre : .leading
        let margin = scene.width * 0.075
        let width = scene.width - margin * 2
        let title = typeface.isUppercase ? title.uppercased() : title
        let room = (area.bottom - area.top) * scene.height
        var size = typeface.largest * scene.unit
        var style = typeface.style(size: size, colour: area.colour, alignment: alignment)
        var height = 0.0
        let measure = try Canvas(width: 1, height: 1)
        // Estimated first, because Pango needs milliseconds; measured then, because it knows.
        while size > 24 * scene.unit {
            style = typeface.style(size: size, colour: area.colour, alignment: alignment)
            if typeface.fits(title, size: size, width: width, room: room) {
                height = measure.text(title, x: 0, y: 0, width: width, style: style)
                if height <= room { break }
            }
            size *= 0.92
        }
        let top =
            (area.atBottom ? area.bottom * scene.height - height : area.top * scene.height)
        if let shade = area.shade {
            for part in [0.25, 0.75] {
                scene.canvas.glow(
                    x: scene.width * part, y: top + height / 2,
                    radius: max(scene.width * 0.55, height), colour: shade, strength: 0.42)
            }
        }
        scene.canvas.text(title, x: margin, y: top, width: width, style: style)
        drawCredits(on: &scene, margin: margin, width: width, alignment: alignment)
    }

    private func drawCredits(
        on scene: inout Scene, margin: Double, width: Double, alignment: TextStyle.Alignment
    ) {
        let typeface = Typeface.credits
        let lines = credits(&scene.random)
        let size = lines.count > 1 ? 15.5 : 17
        let style = TextStyle(
            family: typeface.family, weight: typeface.weight, size: size * scene.unit,
            colour: area.creditsColour ?? scene.palette.pale, alpha: 0.85, alignment: alignment)
        let shade = area.creditsColour == nil ? scene.palette.night : nil
        if let shade {
            for part in stride(from: 0.1, through: 0.9, by: 0.2) {
                scene.canvas.glow(
                    x: scene.width * part, y: scene.height * 0.955, radius: 110 * scene.unit,
                    colour: shade, strength: 0.45)
            }
        }
        for (position, line) in lines.enumerated() {
            let y = lines.count > 1 ? 0.934 + 0.023 * Double(position) : 0.942
            scene.canvas.text(line, x: margin, y: scene.height * y, width: width, style: style)
        }
    }

    private static let initials = ["A", "B", "E", "I", "J", "K", "L", "M", "O", "R", "S", "T"]
    private static let surnames = [
        "Varga", "Ødegaard", "Okafor", "Lindqvist", "Marchetti", "Ashdown", "Farrow", "Nakamura",
        "Delacroix", "Brandt", "Quill", "Solano", "Vance", "Achterberg",
    ]
}
