/// Seconds in a header field: digits and nothing else (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// Larger numbers are read as this.
    static let most = 1 << 31

    /// Returns nil for anything but digits: a sign, a fraction, an exponent, `nan`.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var seconds = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            seconds = min(most, seconds * 10 + Int(byte - UInt8(ascii: "0")))
        }
        return seconds
    }
}
