/// Encoder settings of one level, which override those for all.
package struct LevelSettings: Sendable, Hashable {
    /// The level's name.
    package var level: String
    package var values: [EncoderSetting: Int]

    package init(level: String, values: [EncoderSetting: Int]) {
        self.level = level
        self.values = values
    }
}

/// A number for an encoder; raw values are the names of the settings.
package enum EncoderSetting: String, Sendable, Hashable, CaseIterable {
    case jpegQuality, webpQuality, avifQuality, avifEffort

    package var range: ClosedRange<Int> {
        switch self {
        case .jpegQuality, .webpQuality, .avifQuality: 1...100
        case .avifEffort: 0...9
        }
    }
}
