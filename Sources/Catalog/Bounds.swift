/// What a number in a source's answer may be. Sums and products of such numbers stay within 64 bits,
/// and within what a `Double` holds exactly.
enum Bounds {
    /// Pixels of a side; formats end at 65,535 or so, and gigapixel scans stay below a million.
    static let side = 1...1_000_000
    /// Items of a list, pixels of an area.
    static let count = 0...1_000_000_000_000
    /// Milliseconds of a song: a day.
    static let milliseconds = 0...86_400_000
    /// Numbers of discs and of songs.
    static let place = 0...100_000
    /// Seconds of a token's life; Spotify's live for an hour.
    static let tokenLife = 1...86_400
}

extension ClosedRange {
    /// The nearest of these.
    func clamp(_ value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
