import Serve
import Testing

struct PageTemplateTests {
    @Test(arguments: [
        // Whichever value is filled in first, one of these two has it before the other's place.
        ("{{a}} {{b}}", "{{b}} {{a}}"), ("{{b}} {{a}}", "{{a}} {{b}}"),
        ("{{c}}b}}", "{{b}}"), ("<p>{{none}}</p>", "<p>{{none}}</p>"),
        ("{{a", "{{a"), ("a}} {{", "a}} {{"), ("", ""),
    ])
    func `a value is never taken for a place of the page`(page: String, filled: String) {
        let values = ["a": "{{b}}", "b": "{{a}}", "c": "{{"].mapValues { Array($0.utf8) }
        #expect(
            String(decoding: PageTemplate(Array(page.utf8)).filled(values), as: UTF8.self) == filled
        )
    }
}
