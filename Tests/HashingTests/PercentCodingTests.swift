import Testing

@testable import Hashing

@Suite(.timeLimit(.minutes(1))) struct PercentCodingTests {
    @Test(arguments: [
        ("aZ0-._~", "", "aZ0-._~"), ("a b/ü", "", "a%20b%2F%C3%BC"), ("a b/ü", "/", "a%20b/%C3%BC"),
        ("%*\n", "%*", "%*%0A"), ("", "", ""),
    ])
    func `all bytes but unreserved and kept ones are encoded`(
        text: String, kept: String, encoded: String
    ) {
        #expect(PercentCoding.encoded(text, keeping: kept) == encoded)
    }

    @Test(
        arguments: [
            ("a%20b%2f%C3%BC+", false, "a b/ü+"), ("a+%2B", true, "a +"), ("100%", false, nil),
            ("%4", false, nil), ("%zz", false, nil), ("%+1", true, nil), ("%ff", false, nil),
        ] as [(String, Bool, String?)])
    func `texts are decoded, and broken ones are nil`(text: String, isForm: Bool, decoded: String?)
    {
        #expect(PercentCoding.decoded(text, isForm: isForm) == decoded)
    }
}
