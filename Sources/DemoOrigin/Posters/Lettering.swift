import Imaging

/// Sets a poster's title and its credits.
struct Lettering {
    let show: DemoShow
    let area: Scene.TitleArea

    /// The whole of it, over a finished picture.
    func draw(on scene: inout Scene) throws(ImagingError) {
        let typeface = scene.random.pick(area.typefaces)
        let alignment: TextStyle.Alignment = scene.random.chance(0.6) ? .centre : .leading
        let margin = scene.width * 0.075
        let width = scene.width - margin * 2
        let title = typeface.isUppercase ? show.title.uppercased() : show.title
        let room = (area.bottom - area.top) * scene.height
        var size = typeface.largest * scene.unit
        var style = typeface.style(size: size, colour: area.colour, alignment: alignment)
        var height = 0.0
        let measure = try Canvas(width: 1, height: 1)
        // Estimated first, because Pango needs milliseconds; measured then, because it knows.
        while size > 24 * scene.unit {
            style = typeface.style(size: size, colour: area.colour, alignment: alignment)
            if fits(title, typeface, size: size, width: width, room: room) {
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
        credits(on: &scene, margin: margin, width: width, alignment: alignment)
    }

    /// Whether every word has its place in a line and every line in the room.
    private func fits(
        _ title: String, _ typeface: Typeface, size: Double, width: Double, room: Double
    ) -> Bool {
        let ems = width / size
        var lines = 1
        var used = 0.0
        for word in title.split(separator: " ") {
            let breadth = typeface.breadth(of: word)
            if breadth > ems { return false }
            used += breadth + (used > 0 ? typeface.breadth(of: " ") : 0)
            if used > ems {
                lines += 1
                used = breadth
            }
        }
        return Double(lines) * size * 1.12 <= room
    }

    private func credits(
        on scene: inout Scene, margin: Double, width: Double, alignment: TextStyle.Alignment
    ) {
        let typeface = Typeface.credits
        let author = "\(scene.random.pick(Self.initials)). \(scene.random.pick(Self.surnames))"
        let year = show.firstYear.map { " · \($0)" } ?? ""
        let line = "\(show.channel.name) presents · a series by \(author)\(year)".uppercased()
        // Hair spaces between the letters, as credits are set.
        let spaced = line.map(String.init).joined(separator: "\u{200A}")
        let style = TextStyle(
            family: typeface.family, weight: typeface.weight, size: 17 * scene.unit,
            colour: area.creditsColour ?? scene.palette.pale, alpha: 0.85, alignment: alignment)
        let shade = area.creditsColour == nil ? scene.palette.night : nil
        if let shade {
            for part in stride(from: 0.1, through: 0.9, by: 0.2) {
                scene.canvas.glow(
                    x: scene.width * part, y: scene.height * 0.955, radius: 110 * scene.unit,
                    colour: shade, strength: 0.45)
            }
        }
        scene.canvas.text(spaced, x: margin, y: scene.height * 0.942, width: width, style: style)
    }

    private static let initials = ["A", "B", "E", "I", "J", "K", "L", "M", "O", "R", "S", "T"]
    private static let surnames = [
        "Varga", "Ødegaard", "Okafor", "Lindqvist", "Marchetti", "Ashdown", "Farrow", "Nakamura",
        "Delacroix", "Brandt", "Quill", "Solano", "Vance", "Achterberg",
    ]
}
