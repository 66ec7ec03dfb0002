/// Seconds as a field says them: digits and nothing else (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// What stands for any larger number.
    static let most = 1 << 31

    /// Nil for anything but digits: a sign, a fraction, an exponent, `nan`.
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
