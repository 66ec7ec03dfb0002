/// The valid ranges of numbers in a source's response. Sums and products of such numbers fit into
/// 64 bits, and a `Double` holds them exactly.
enum Bounds {
    /// Pixels of a side. Most formats end at 65,535; gigapixel scans stay below a million.
    static let side = 1...1_000_000
    /// Numbers of items of TVmaze and TMDB: at most ten digits.
    static let id = 1...9_999_999_999
    /// Numbers of albums of iTunes: fifteen digits, more than the API uses today.
    static let album = 1...999_999_999_999_999
    /// Items of a list, pixels of an area.
    static let count = 0...1_000_000_000_000
    /// Milliseconds of a song, up to a day.
    static let milliseconds = 0...86_400_000
    /// Numbers of discs and of songs.
    static let place = 0...100_000
    /// Lifetime of a token in seconds. Spotify's tokens live for an hour.
    static let tokenLife = 1...86_400
}

extension ClosedRange {
    /// Returns the bound's nearest value within the range.
    func clamp(_ value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
