import Catalog
import Fetch
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1))) struct NormalURLTests {
    /// Every character that RFC 3986 reserves, and the others of ASCII that are neither letters nor digits: how
    /// each stands in a path, in a query and behind a fragment's mark. Nil is another part of the URL.
    static let characters: [(character: Character, path: String?, query: String?)] = [
        // Reserved: delimiters of the grammar.
        (":", ":", ":"), ("/", "/", "/"), ("?", nil, "?"), ("#", nil, nil), ("[", "%5B", "%5B"),
        ("]", "%5D", "%5D"), ("@", "@", "@"),
        // Reserved: delimiters within parts.
        ("!", "!", "!"), ("$", "$", "$"), ("&", "&", "&"), ("'", "'", "'"), ("(", "(", "("),
        (")", ")", ")"), ("*", "*", "*"), ("+", "+", "+"), (",", ",", ","), (";", ";", ";"),
        ("=", "=", "="),
        // Unreserved.
        ("-", "-", "-"), (".", ".", "."), ("_", "_", "_"), ("~", "~", "~"),
        // Not allowed.
        (" ", "%20", "%20"), ("\"", "%22", "%22"), ("<", "%3C", "%3C"), (">", "%3E", "%3E"),
        ("\\", "/", "%5C"), ("^", "%5E", "%5E"), ("`", "%60", "%60"), ("{", "%7B", "%7B"),
        ("|", "%7C", "%7C"), ("}", "%7D", "%7D"), ("%", "%25", "%25"), ("\u{1}", "%01", "%01"),
        ("\u{7F}", "%7F", "%7F"), ("ü", "%C3%BC", "%C3%BC"), ("目", "%E7%9B%AE", "%E7%9B%AE"),
        ("🖼", "%F0%9F%96%BC", "%F0%9F%96%BC"), ("\u{A0}", "%C2%A0", "%C2%A0"),
        // Browsers drop these.
        ("\t", "", ""), ("\n", "", ""), ("\r", "", ""),
    ]

    @Test(arguments: characters)
    func `every character is kept or percent-encoded as RFC 3986 has it`(
        character: Character, path: String?, query: String?
    ) throws {
        if let path {
            let url = try NormalURL("https://a.example/x\(character)y.jpg").text
            #expect(url == "https://a.example/x\(path)y.jpg")
        }
        if let query {
            let url = try NormalURL("https://a.example/x?a=\(character)y").text
            #expect(url == "https://a.example/x?a=\(query)y")
        }
    }

    @Test func `letters and digits stay`() throws {
        let text = "https://a.example/AZaz09?AZaz09"
        #expect(try NormalURL(text).text == text)
    }

    @Test(arguments: [
        // Only scheme and host have no case.
        ("HTTPS://A.Example/B", "https://a.example/B"), ("http://a.example", "http://a.example/"),
        ("http://a.example?b", "http://a.example?b"), ("http://a.example#b", "http://a.example/"),
        ("http://a.example/b#c?d", "http://a.example/b"),
        ("http://a.example:8080/b", "http://a.example:8080/b"),
        ("http://a.example:80/b", "http://a.example:80/b"),
        ("http://[::1]:80/b", "http://[::1]:80/b"), ("http://10.0.0.1/b", "http://10.0.0.1/b"),
        ("http://a.example/../b/./c//d", "http://a.example/../b/./c//d"),
        // Escapes stay, in any case, whatever they stand for.
        ("http://a.example/%41%2f%2F%c3%BC?%20", "http://a.example/%41%2f%2F%c3%BC?%20"),
        // A percent sign that begins none is one.
        ("http://a.example/100%_%4g%", "http://a.example/100%25_%254g%25"),
        ("http://a.example/100%25_", "http://a.example/100%25_"),
        ("http://%41.example/b", "http://%41.example/b"),
        ("http://a.example\\b\\c?d\\e", "http://a.example/b/c?d%5Ce"),
        (" \t\u{0}http://a.example/b \r\n", "http://a.example/b"),
        ("http://a.exa\nmple/b\tc", "http://a.example/bc"),
        ("https://Bücher.example:8443/ü", "https://xn--bcher-kva.example:8443/%C3%BC"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/"),
        ("http://User:p@a.example/b", "http://user:p@a.example/b"),
        ("http://us er@a.example/b", "http://us%20er@a.example/b"),
        ("http://a@b:c@a.example:8080/b", "http://a%40b:c@a.example:8080/b"),
        ("http://ü@Bücher.example/b", "http://%c3%bc@xn--bcher-kva.example/b"),
        ("http://p@[::1]/b", "http://p@[::1]/b"),
    ])
    func `a URL has one normal form, which is its own`(given: String, normal: String) throws {
        #expect(try NormalURL(given).text == normal)
        #expect(try NormalURL(normal).text == normal)
    }

    @Test(arguments: [
        ("", NormalURL.Refusal.notAbsolute), ("a.jpg", .notAbsolute), ("/a.jpg", .notAbsolute),
        ("//a.example/b", .notAbsolute), ("ftp://a.example/b", .notAbsolute),
        ("xhttps://a.example/b", .notAbsolute), ("a https://a.example/b", .notAbsolute),
        ("http://", .noHost), ("http:///a", .noHost), ("http://?a", .noHost),
        ("http://:80/a", .noHost), ("http://user@/a", .noHost),
        ("http://a b/c", .badHost(" ")), ("http://a|b/c", .badHost("|")),
        ("http://{host}/c", .badHost("{")), ("http://a\"b/c", .badHost("\"")),
        ("http://a^b/c", .badHost("^")), ("http://a<b/c", .badHost("<")),
        ("http://a\u{7F}b/c", .badHost("\u{7F}")), ("http://a]/c", .badHost("]")),
        ("http://a%/c", .badHost("%")), ("http://a%4g.example/c", .badHost("%")),
        ("http://ü|b/c", .badHost("|")), ("http://a:ü/c", .noASCIIHost),
        ("http://a／b.example/c", .noASCIIHost), ("http://\u{AD}/c", .noASCIIHost),
    ])
    func `what is not a URL of a picture is refused with its reason`(
        given: String, refusal: NormalURL.Refusal
    ) {
        #expect(throws: refusal) { try NormalURL(given) }
    }

    @Test(arguments: [
        "http://a.example/b c.jpg", "http://a.example/b%20c.jpg", "HTTP://a.example/b c.jpg#d",
        "http://a.example\\b c.jpg", "  http://a.example/b c.jpg\n",
    ])
    func `URLs with one normal form are one item`(given: String) throws {
        #expect(
            try SignedURL.item(of: given).description
                == "url/image/aHR0cDovL2EuZXhhbXBsZS9iJTIwYy5qcGc")
        // Also if it is named by its bytes, as a program that signs may.
        let id = Data(given.utf8).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        #expect(
            try SignedURL(hosts: []).item(kind: "image", id: id).id
                == "aHR0cDovL2EuZXhhbXBsZS9iJTIwYy5qcGc")
    }

    /// Names of items are keys of what is stored, and part of what signatures sign.
    @Test(arguments: [
        ("https://a.example/b.jpg", "aHR0cHM6Ly9hLmV4YW1wbGUvYi5qcGc"),
        (
            "https://A.example/b;c=1,2/(d)*'e'!$&f@g:h+i~j?k=l/m?n'o'&p=%2F%2b#q",
            "aHR0cHM6Ly9hLmV4YW1wbGUvYjtjPTEsMi8oZCkqJ2UnISQmZkBnOmgraX5qP2s9bC9tP24nbycmcD0lMkYlMmI"
        ),
        ("http://a.example?b", "aHR0cDovL2EuZXhhbXBsZT9i"),
    ])
    func `the name of a URL that RFC 3986 allows is as it was in 0.10`(given: String, id: String)
        throws
    {
        #expect(try SignedURL.item(of: given).id == id)
    }

    @Test func `a URL in its normal form has 8,192 bytes at most`() throws {
        let longest = "http://a.example/" + String(repeating: "b", count: 8_175)
        #expect(longest.utf8.count == 8_192)
        _ = try SignedURL.item(of: longest + "#c")
        #expect(throws: Failure.self) { try SignedURL.item(of: longest + "b") }
        #expect(throws: Failure.self) { try SignedURL.item(of: longest.dropLast(2) + " b") }
    }
}
