import Imaging

/// A font for titles, with others to stand in where it isn't installed.
struct Typeface: Sendable, Hashable {
    /// Families for fontconfig, the first that is installed.
    let family: String
    let weight: String
    let isUppercase: Bool
    /// Width of a middling letter in ems.
    let breadth: Double
    /// Largest size of a title in pixels at a poster's width of 680.
    let largest: Double

    /// Estimated width in ems; on the safe side by some per cent.
    func breadth(of text: Substring) -> Double {
        text.reduce(0) { sum, letter in
            let share =
                switch letter {
                case "I", "i", "j", "l", "’", ".", ",", ":": 0.5
                case "f", "t", "r", "J", "s", " ": 0.72
                case "M", "W", "m", "w": 1.4
                default: letter.isUppercase && !isUppercase ? 1.2 : 1
                }
            return sum + share * breadth
        }
    }

    /// Whether every word has its place in a line and every line in the room.
    func fits(_ title: String, size: Double, width: Double, room: Double) -> Bool {
        let ems = width / size
        var lines = 1
        var used = 0.0
        for word in title.split(separator: " ") {
            let breadth = breadth(of: word)
            if breadth > ems { return false }
            used += breadth + (used > 0 ? self.breadth(of: " ") : 0)
            if used > ems {
                lines += 1
                used = breadth
            }
        }
        return Double(lines) * size * 1.12 <= room
    }

    func style(size: Double, colour: RGB, alignment: TextStyle.Alignment) -> TextStyle {
        TextStyle(
            family: family, weight: weight, size: size, colour: colour, alignment: alignment)
    }

    static let all: [Typeface] = [
        narrow, grotesque, geometric, light, bookish, century, bookman, slanted,
    ]

    static let narrow = Typeface(
        family: "Nimbus Sans Narrow,DejaVu Sans Condensed,Sans", weight: "Bold",
        isUppercase: true, breadth: 0.57, largest: 150)
    static let grotesque = Typeface(
        family: "Nimbus Sans,DejaVu Sans,Sans", weight: "Bold", isUppercase: true,
        breadth: 0.7, largest: 112)
    static let geometric = Typeface(
        family: "URW Gothic,DejaVu Sans,Sans", weight: "Semi-Bold", isUppercase: false,
        breadth: 0.61, largest: 116)
    static let light = Typeface(
        family: "DejaVu Sans,Sans", weight: "Light", isUppercase: true, breadth: 0.7, largest: 96)
    static let bookish = Typeface(
        family: "P052,DejaVu Serif,Serif", weight: "Bold", isUppercase: false, breadth: 0.57,
        largest: 116)
    static let century = Typeface(
        family: "C059,DejaVu Serif,Serif", weight: "Italic", isUppercase: false, breadth: 0.56,
        largest: 116)
    static let bookman = Typeface(
        family: "URW Bookman,DejaVu Serif,Serif", weight: "", isUppercase: false,
        breadth: 0.63, largest: 106)
    static let slanted = Typeface(
        family: "Nimbus Sans,DejaVu Sans,Sans", weight: "Bold Italic", isUppercase: true,
        breadth: 0.7, largest: 96)
    static let credits = Typeface(
        family: "Nimbus Sans Narrow,DejaVu Sans Condensed,Sans", weight: "",
        isUppercase: true, breadth: 0.5, largest: 22)
}
