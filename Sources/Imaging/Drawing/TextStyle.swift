/// How text looks; a font that is not installed is replaced by the system's default.
package struct TextStyle: Sendable, Hashable {
    package enum Alignment: Sendable, Hashable { case leading, centre, trailing }

    /// A fontconfig family: `Sans`, `Serif`, `DejaVu Sans`, ….
    package var family: String
    /// Pango's words: `Light`, `Bold`, `Bold Italic`, `Condensed Bold`, …; empty is regular.
    package var weight: String
    /// Height of the em square in pixels.
    package var size: Double
    package var colour: RGB
    package var alpha: Double
    package var alignment: Alignment
    /// Extra pixels between lines.
    package var spacing: Double

    package init(
        family: String = "Sans", weight: String = "", size: Double, colour: RGB,
        alpha: Double = 1, alignment: Alignment = .leading, spacing: Double = 0
    ) {
        self.family = family
        self.weight = weight
        self.size = size
        self.colour = colour
        self.alpha = alpha
        self.alignment = alignment
        self.spacing = spacing
    }
}
