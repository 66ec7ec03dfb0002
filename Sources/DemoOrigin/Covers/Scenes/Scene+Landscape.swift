import Imaging

extension Scene {
    /// A wide view like a photograph, and quiet type.
    mutating func landscape(_ credits: CoverCredits) {
        let views: [ArtDirection] = [.mountains, .horizon, .waves, .forest, .planet, .deep]
        let view = random.pick(views)
        let area = view.paint(&self)
        canvas.vignette(strength: 0.3)
        let isFramed = random.chance(0.35)
        if isFramed { frame() }
        let isAtTop = !area.atBottom
        let colour = isFramed ? palette.night : area.colour
        let y = isFramed ? 0.9 : isAtTop ? 0.06 : 0.86
        if !isFramed, let shade = area.shade {
            canvas.glow(
                x: width * 0.3, y: height * (isAtTop ? 0.1 : 0.9), radius: width * 0.5,
                colour: shade, strength: 0.5)
        }
        letter(
            credits.artist, .bookish, largest: 40, x: width * 0.06, y: height * y,
            width: width * 0.88, height: height * 0.05, colour: colour,
            alignment: isFramed ? .centre : .leading)
        letter(
            credits.title, .century, largest: 33, x: width * 0.06, y: height * (y + 0.046),
            width: width * 0.88, height: height * 0.05, colour: colour,
            alignment: isFramed ? .centre : .leading)
    }

    /// White paper around the view, wider below.
    private func frame() {
        let (side, top, foot) = (width * 0.07, height * 0.07, height * 0.13)
        canvas.rectangle(x: 0, y: 0, width: width, height: top, colour: palette.pale)
        canvas.rectangle(
            x: 0, y: height - foot, width: width, height: foot + 1, colour: palette.pale)
        canvas.rectangle(x: 0, y: 0, width: side, height: height, colour: palette.pale)
        canvas.rectangle(
            x: width - side, y: 0, width: side + 1, height: height, colour: palette.pale)
    }
}
