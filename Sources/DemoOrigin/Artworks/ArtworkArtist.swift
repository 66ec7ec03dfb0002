import Imaging

/// Draws museum objects in the size asked for, as if painted: the same seed and object give the same
/// picture at every size.
struct ArtworkArtist: Sendable {
    static let quality = 84

    let seed: UInt64

    /// Blocks for some tens of milliseconds a megapixel.
    func artwork(_ object: DemoObject, _ size: IIIFSize) throws(ImagingError) -> Canvas {
        guard size.isFree else {
            return try draw(object, width: size.width, height: size.height)
        }
        // Drawn in its own shape, then pressed into the other one.
        let width = max(
            size.width, Int((Double(size.height * object.width) / Double(object.height)).rounded()))
        let own = try draw(
            object, width: min(width, object.width),
            height: max(1, min(width, object.width) * object.height / object.width))
        let canvas = try Canvas(width: size.width, height: size.height)
        canvas.draw(own, x: 0, y: 0, width: Double(size.width), height: Double(size.height))
        return canvas
    }

    private func draw(
        _ object: DemoObject, width: Int, height: Int
    ) throws(ImagingError) -> Canvas {
        var random = SeededRandom(seed: seed, 10, UInt64(object.index))
        let palette = random.pick(Self.palettes(of: object.subject))
        let canvas = try Canvas(width: width, height: height, fill: palette.deep)
        var scene = Scene(canvas: canvas, palette: palette, random: random)
        scene.paint(object.subject)
        return canvas
    }

    private static func palettes(of subject: ArtworkSubject) -> [Palette] {
        switch subject {
        case .stillLife, .portrait, .bouquet: [.umber, .bitumen, .verdigris]
        case .harbour, .windmill: [.silver, .evening, .meadow]
        case .winter: [.frost, .silver]
        case .tiles: [.delft, .manganese]
        case .interior: [.chalk, .honey]
        }
    }
}

extension Palette {
    // The darkest to the lightest as on an old palette; what stands out is the accent.
    static let umber = Palette(0x14100B, 0x2E2318, 0x6B4A2A, 0xB98B4E, 0xF0DFB8, accent: 0xC4562A)
    static let bitumen = Palette(
        0x0E0C0C, 0x25201D, 0x574538, 0xA58566, 0xEADBC4, accent: 0x9E2B25)
    static let verdigris = Palette(
        0x0D1412, 0x1F2E2A, 0x4A5F4E, 0x9EA77C, 0xEFE7C6, accent: 0xD08A2E)
    static let silver = Palette(
        0x2B2A26, 0x59594F, 0x8E9188, 0xC3C6BD, 0xF0EDE0, accent: 0xA8482F)
    static let evening = Palette(
        0x2A1E1B, 0x5F4338, 0xA97C56, 0xE3BC83, 0xF8EAC9, accent: 0xB5402B)
    static let meadow = Palette(
        0x20281E, 0x46543A, 0x7F8F6A, 0xBFD0CE, 0xF3F1E2, accent: 0xB85C38)
    static let frost = Palette(
        0x332D2A, 0x6B615A, 0x9FA3A0, 0xD5D8D2, 0xF7F3E6, accent: 0xB33A2E)
    static let delft = Palette(0x10204A, 0x1F3D84, 0x3F67B4, 0x9DB6DC, 0xF1F0E6, accent: 0x27509C)
    static let manganese = Palette(
        0x2A1526, 0x51284A, 0x7E4A75, 0xC2A4BE, 0xF3EFE4, accent: 0x673060)
    static let chalk = Palette(
        0x3A332A, 0x7A6E5C, 0xB5AA94, 0xDDD5C1, 0xF8F4E7, accent: 0x8C4A2F)
    static let honey = Palette(
        0x3B2B1B, 0x80613B, 0xC09A62, 0xE6CE9C, 0xFBF2D8, accent: 0x6E3B2A)
}
