import Glibc
import TestSupport
import Testing

@testable import Imaging

/// What the names of thumbnails depend on.
@Suite(.timeLimit(.minutes(1))) struct RecipeTests {
    private static let everything = ["s", "m"].flatMap { level in
        ThumbnailFormat.allCases.map { "\(level).\($0)" }
    }

    private typealias Change = @Sendable (inout ImagingConfiguration) -> Void

    /// With the renditions that a change concerns.
    private static let settings: [(String, Change, [String])] =
        [
            ("threads", { $0.threads = 7 }, []),
            ("JPEG's quality", { $0.jpegQuality = 81 }, ["s.jpeg", "m.jpeg"]),
            ("the lane", { $0.lane = .libvips }, everything),
            ("the background", { $0.background.blue = 0 }, ["s.jpeg", "m.jpeg"]),
            ("WebP's quality", { $0.webpQuality = 81 }, ["s.webp", "m.webp"]),
            ("WebP's effort", { $0.webpEffort = 4 }, ["s.webp", "m.webp"]),
            ("AVIF's quality", { $0.avifQuality = 51 }, ["s.avif", "m.avif"]),
            ("AVIF's effort", { $0.avifEffort = 3 }, ["s.avif", "m.avif"]),
            ("PNG's compression", { $0.pngCompression = 9 }, ["s.png", "m.png"]),
            (
                "a setting of one level",
                { $0.perLevel = [LevelSettings(level: "s", values: [.webpQuality: 75])] },
                ["s.webp"]
            ),
            (
                "a setting of one level that says the same",
                { $0.perLevel = [LevelSettings(level: "s", values: [.webpQuality: 80])] }, []
            ),
        ]

    @Test func `a fingerprint of fonts changes with their files' names and sizes`() throws {
        let fonts = try TemporaryDirectory()
        func fingerprint() -> String { Fonts.fingerprint(of: [fonts.path, "/nowhere"]) }
        let none = fingerprint()
        #expect(mkdir(fonts.file("truetype"), 0o700) == 0)
        try fonts.write([1, 2, 3], to: "truetype/serif.ttf")
        let one = fingerprint()
        #expect(one != none)
        try fonts.write([3, 2, 1], to: "truetype/serif.ttf")
        #expect(fingerprint() == one)
        try fonts.write([3, 2, 1, 0], to: "truetype/serif.ttf")
        #expect(fingerprint() != one)
    }

    @Test(arguments: 0..<settings.count)
    func `a recipe changes with everything that changes the bytes, and with nothing else`(
        index: Int
    ) throws {
        func recipes(_ change: (inout ImagingConfiguration) -> Void) -> [String: String] {
            var configuration = ImagingConfiguration.patient
            change(&configuration)
            let levels = Level.defaults.filter { ["s", "m"].contains($0.name) }
            let pairs = levels.flatMap { level in
                ThumbnailFormat.allCases.map { format in
                    (
                        "\(level.name).\(format)",
                        configuration.recipe(for: Rendition(level: level, format: format))
                    )
                }
            }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
        try Vips.start()
        let plain = recipes { _ in }
        #expect(plain.values.allSatisfy { $0.count == 16 && $0.allSatisfy(\.isHexDigit) })
        #expect(Set(plain.values).count == 2 * ThumbnailFormat.allCases.count)
        let (name, change, expected) = Self.settings[index]
        let changed = recipes(change).filter { plain[$0.key] != $0.value }.map(\.key)
        #expect(Set(changed) == Set(expected), "\(name)")
    }
}
