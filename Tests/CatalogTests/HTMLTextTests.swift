import Catalog
import Testing

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
}
