extension String {
    /// Returns a numeric item id without leading zeros; `nil` unless this is a positive number of
    /// at most `limit` digits.
    func itemNumber(atMostDigits limit: Int) -> String? {
        let digits = drop { $0 == "0" }
        guard !digits.isEmpty, digits.utf8.count <= limit,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return String(digits)
    }
}
