import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct QueryTextTests {
    @Test(arguments: [
        ("", []), ("q=a", ["q", "a"]), ("q=daft+punk&x=", ["q", "daft punk", "x", ""]),
        ("q", ["q", ""]), ("q=a%20b%2Bc", ["q", "a b+c"]), ("q=%C3%B8", ["q", "ø"]),
        ("q=%", ["q", "%"]), ("q=%zz", ["q", "%zz"]), ("a=1&a=2", ["a", "1", "a", "2"]),
        ("a=b=c", ["a", "b=c"]),
    ])
    func `names and values are read as forms write them`(text: String, expected: [String]) {
        #expect(DemoRequest.fields(of: text).flatMap { [$0.name, $0.value] } == expected)
    }

    @Test(arguments: ["plain", "two words", "ø & ß", "a+b", "100%", "~*-._"])
    func `an encoded text is decoded to the same text`(text: String) {
        #expect(DemoRequest.fields(of: "q=\(DemoRequest.encoded(text))").first?.value == text)
    }

    @Test(arguments: [
        ("night", "Night Ferries", true), ("ferr NIGHT", "Night Ferries", true),
        ("odegaard", "Ingrid Ødegaard", true), ("errie", "Night Ferries", false),
        ("", "Night Ferries", false), ("celestine", "Célestine", true),
    ])
    func `a search finds words by their beginnings, without case and accents`(
        term: String, text: String, isFound: Bool
    ) {
        #expect(SearchWords(term).begin(text) == isFound)
    }

    @Test func `other searches want whole words`() {
        #expect(SearchWords("nacht").areIn("De Nacht"))
        #expect(!SearchWords("nac").areIn("De Nacht"))
        #expect(!SearchWords("").areIn("De Nacht"))
    }
}
