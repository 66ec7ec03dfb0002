import Imaging

extension ConfigurationKey {
    static let levels: [Self] = [
        Self(
            path: "levels", shape: .map,
            expected: "a mapping from level names to boxes, such as m: 320x480",
            summary:
                "Boxes in pixels into which thumbnails fit, without enlarging. Other names are "
                + "404. tile: 240x240 cover attention fills the box and crops the excess; "
                + "attention, entropy, center, top, bottom, left, right or a corner such as "
                + "top-left says what stays.",
            print: { settings in settings.levels.map(ValueSyntax.level.print) },
            apply: { texts, settings in settings.setLevels(texts) }
        ).reloaded()
    ]
}

extension Settings {
    /// Replaces all levels. Each text has the form of ``ValueSyntax/level``.
    mutating func setLevels(_ texts: [String]) -> ConfigurationKey.Rejection? {
        let syntax = ValueSyntax.level
        var found: [Level] = []
        for text in texts {
            guard let level = syntax.parse(text) else {
                return ConfigurationKey.Rejection(text: text, expected: syntax.expected)
            }
            if found.contains(where: { $0.name == level.name }) {
                return ConfigurationKey.Rejection(text: text, expected: "each name once")
            }
            found.append(level)
        }
        guard (1...32).contains(found.count) else {
            return ConfigurationKey.Rejection(
                text: texts.joined(separator: ","), expected: "1 to 32 levels")
        }
        levels = found.sorted { left, right in
            (left.width * left.height, left.name) < (right.width * right.height, right.name)
        }
        return nil
    }
}
