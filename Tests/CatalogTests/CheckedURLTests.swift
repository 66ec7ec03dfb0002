import Catalog
import Fetch
import Testing

@Suite(.timeLimit(.minutes(1))) struct CheckedURLTests {
    let hosts = [HostPattern("static.tvmaze.com"), HostPattern("*.mzstatic.com")]

    @Test(arguments: [
        ("https://static.tvmaze.com/a/1.jpg", "https://static.tvmaze.com/a/1.jpg"),
        ("http://static.tvmaze.com/a/1.jpg", "https://static.tvmaze.com/a/1.jpg"),
        ("HTTP://Static.TVmaze.com/A/1.jpg", "https://static.tvmaze.com/A/1.jpg"),
        ("http://static.tvmaze.com:80/a", "https://static.tvmaze.com/a"),
        ("https://static.tvmaze.com:443/a", "https://static.tvmaze.com/a"),
        ("https://is1-ssl.mzstatic.com/a?b=c#d", "https://is1-ssl.mzstatic.com/a?b=c#d"),
        ("https://static.tvmaze.com", "https://static.tvmaze.com"),
        ("https://static.tvmaze.com/a b", "https://static.tvmaze.com/a%20b"),
        (
            " https://static.tvmaze.com/Stühle|\"{1}\".jpg\n",
            "https://static.tvmaze.com/St%C3%BChle%7C%22%7B1%7D%22.jpg"
        ),
        ("https://static.tvmaze.com/100%", "https://static.tvmaze.com/100%25"),
        // As browsers read it: the host ends there.
        ("https://static.tvmaze.com\\@example.org/a", "https://static.tvmaze.com/@example.org/a"),
        ("https://static.tvmaze.com/a#b c", "https://static.tvmaze.com/a#b%20c"),
    ])
    func `an address on a known host is taken, over https`(given: String, expected: String) {
        #expect(CheckedURL(given, hosts: hosts)?.text == expected)
    }

    @Test(arguments: [
        ("http://10.0.0.5:8080/a", "http://10.0.0.5:8080/a"),
        ("http://pim.lan:80/a", "http://pim.lan/a"), ("HTTP://PIM.lan/A", "http://pim.lan/A"),
        // Every other port and host gets https, or is refused.
        ("http://10.0.0.5/a", "https://10.0.0.5/a"), ("http://10.0.0.5:8081/a", nil),
        ("https://10.0.0.5:8080/a", nil), ("https://pim.lan/a", "https://pim.lan/a"),
        ("http://cdn.lan/a", "https://cdn.lan/a"), ("http://10.0.0.6:8080/a", nil),
    ])
    func `an address stays http where its host is named so`(given: String, expected: String?) {
        let hosts = [HostPattern("10.0.0.5"), HostPattern("*.lan")]
        let plain: Set = ["10.0.0.5:8080", "10.0.0.6:8080", "pim.lan"]
        #expect(CheckedURL(given, hosts: hosts, plain: plain)?.text == expected)
    }

    @Test(arguments: [
        "https://static.tvmaze.com.example.org/a", "https://example.org/static.tvmaze.com",
        "https://static.tvmaze.com@example.org/a", "https://user@static.tvmaze.com/a",
        "https://example.org\\@static.tvmaze.com/a", "https://static.tvmaze.com:8443/a",
        "http://static.tvmaze.com:443/a", "ftp://static.tvmaze.com/a",
        "//static.tvmaze.com/a", "/a/1.jpg", "", "https://", "https:///a",
        "https://static.tvmaze.com /a", "https://mzstatic.com/a", "https://stätic.tvmaze.com/a",
        "file:///etc/passwd", "https://127.0.0.1/a",
    ])
    func `every other address is refused`(given: String) {
        #expect(CheckedURL(given, hosts: hosts) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct CheckedURLReasonTests {
    @Test(arguments: [
        ("/a.jpg", CheckedURL.Refusal.notURL(.notAbsolute)),
        ("https://a b/c", .notURL(.badHost(" "))), ("https://user@a.example/b", .userInfo),
        ("https://a.example:8443/b", .port), ("https://b.example/b", .otherHost("b.example")),
    ])
    func `a URL that is refused has its reason`(given: String, refusal: CheckedURL.Refusal) {
        #expect(throws: refusal) {
            try CheckedURL(checking: given, hosts: [HostPattern("a.example")])
        }
    }

    @Test func `places of a template stay, and other braces don't`() throws {
        let hosts = [HostPattern("a.example")]
        let given = "https://a.example/{width}|x"
        #expect(
            try CheckedURL(checking: given, hosts: hosts, isTemplate: true).text
                == "https://a.example/{width}%7Cx")
        #expect(
            try CheckedURL(checking: given, hosts: hosts).text
                == "https://a.example/%7Bwidth%7D%7Cx")
    }
}

@Suite(.timeLimit(.minutes(1))) struct HTMLTextTests {
    @Test(arguments: [
        ("<p><b>Under the Dome</b> is a story.</p>", "Under the Dome is a story."),
        ("<p>One.</p><p>Two.</p>", "One.\nTwo."),
        ("<p>One.</p>\n  <p class=\"x\">Two\n three.</p>", "One.\nTwo three."),
        ("One<br>two<br />three", "One\ntwo\nthree"),
        ("a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#x27;", "a & b <c> \"d\" 'e'"),
        ("caf&eacute;&nbsp;&mdash;&nbsp;&hellip;", "café — …"),
        ("&#8217;&#x2019;", "’’"),
        ("AT&T, a && b, &unknown; &; &#xD800;", "AT&T, a && b, &unknown; &; &#xD800;"),
        ("a < b and 3 <4", "a < b and 3 <4"),
        ("<a href=\"x>y\" title='z>'>link</a>", "link"),
        ("kept<!-- <b>not</b> --> too", "kept too"),
        ("x<script>alert('<p>')</script>y<STYLE>p{}</STYLE>z", "xyz"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("cut <b", "cut"),
        ("cut <!-- never closed", "cut"),
        ("a\u{0}b\u{7}c", "abc"),
        ("  \n\t ", ""),
        ("", ""),
        ("<p></p>", ""),
    ])
    func `only the words are left`(html: String, words: String) {
        #expect(HTMLText.plain(html) == words)
    }

    @Test(arguments: [
        ("Tom &amp; Jerry", "Tom & Jerry"), ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("&lt;b&gt;", "<b>"), ("<b>A</b> <3 B", "<b>A</b> <3 B"),
        ("AT&T & R&D; &x;", "AT&T & R&D; &x;"),
        ("&#8217;&#x2019;&rsquo;", "’’’"), ("&Agrave;&yuml;&copy;&OElig;", "Àÿ©Œ"),
        ("a&nbsp;b&#10;c&shy;d&#7;", "a b cd"), ("&#xD800;&#x110000;", "&#xD800;&#x110000;"),
        ("&amp", "&amp"), ("", ""), ("é → 😀", "é → 😀"),
    ])
    func `entities are decoded once, and nothing else changes`(text: String, decoded: String) {
        #expect(HTMLText.decodingEntities(text) == decoded)
    }
}
