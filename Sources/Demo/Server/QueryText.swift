import Hashing

/// Reads what stands behind the question mark, as HTML forms write it.
enum QueryText {
    /// Names and values in their order, decoded; a plus sign is a space.
    static func fields(_ text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { field in
            let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(sides[0]), sides.count > 1 ? decoded(sides[1]) : "")
        }
    }

    /// Everything but letters, digits and `-._~*` percent-encoded.
    static func encoded(_ text: String) -> String {
        PercentCoding.encoded(text, keeping: "*")
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        PercentCoding.decoded(text, isForm: true) ?? String(text)
    }
}
