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
