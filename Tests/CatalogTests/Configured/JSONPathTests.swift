import JSON
import Testing

@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct JSONPathTests {
    /// The bookstore of RFC 9535, section 1.5, shortened.
    private static let store = #"""
        {"store": {
          "book": [
            {"category": "reference", "author": "Nigel Rees", "title": "Sayings", "price": 8.95},
            {"category": "fiction", "author": "Evelyn Waugh", "title": "Sword", "price": 12.99},
            {"category": "fiction", "author": "Melville", "title": "Moby Dick", "isbn": "0-553",
             "price": 8.99}
          ],
          "bicycle": {"color": "red", "price": 399, "in-stock": true, "owner": null}
        }}
        """#

    private func values(_ path: String, in document: String = store) throws -> [JSON] {
        try JSONPath(path).values(in: JSON(parsing: Array(document.utf8)))
    }

    @Test(
        arguments: [
            ("$", "[1,2]", ["[1,2]"]),
            ("$.store.bicycle.color", store, [#""red""#]),
            ("$['store']['bicycle'][\"color\"]", store, [#""red""#]),
            ("$.store.bicycle['in-stock']", store, ["true"]),
            ("$.store.book[0].title", store, [#""Sayings""#]),
            ("$.store.book[-1].title", store, [#""Moby Dick""#]),
            ("$.store.book[3]", store, []),
            (
                "$.store.book[*].author", store,
                [#""Nigel Rees""#, #""Evelyn Waugh""#, #""Melville""#]
            ),
            ("$.store.bicycle.*", store, [#""red""#, "399", "true", "null"]),
            ("$..author", store, [#""Nigel Rees""#, #""Evelyn Waugh""#, #""Melville""#]),
            ("$.store..price", store, ["8.95", "12.99", "8.99", "399"]),
            ("$..[0].title", store, [#""Sayings""#]),
            ("$.store.book[0,2].price", store, ["8.95", "8.99"]),
            ("$.store.bicycle['color','price']", store, [#""red""#, "399"]),
            ("$[1:3]", "[0,1,2,3,4]", ["1", "2"]),
            ("$[:2]", "[0,1,2,3,4]", ["0", "1"]),
            ("$[-2:]", "[0,1,2,3,4]", ["3", "4"]),
            ("$[1:5:2]", "[0,1,2,3,4]", ["1", "3"]),
            ("$[::-1]", "[0,1,2]", ["2", "1", "0"]),
            ("$[5:1:-2]", "[0,1,2,3,4,5,6]", ["5", "3"]),
            ("$[::0]", "[0,1,2]", []),
            ("$[1:3]", #"{"a":1}"#, []),
            ("$.store.book[?@.isbn].title", store, [#""Moby Dick""#]),
            ("$.store.book[?!@.isbn].title", store, [#""Sayings""#, #""Sword""#]),
            ("$.store.book[?@.price < 10].title", store, [#""Sayings""#, #""Moby Dick""#]),
            ("$.store.book[?@.price<10 && @.category=='fiction'].title", store, [#""Moby Dick""#]),
            (
                "$.store.book[?(@.price > 12 || @['isbn'] == \"0-553\")].title", store,
                [#""Sword""#, #""Moby Dick""#]
            ),
            ("$.store.book[?!(@.price > 9)].price", store, ["8.95", "8.99"]),
            ("$.store.book[?@.price >= 12.99].title", store, [#""Sword""#]),
            (
                "$.store.book[?@.price < $.store.bicycle.price].price", store,
                ["8.95", "12.99", "8.99"]
            ),
            ("$[?@.a == @.b]", #"[{"a":1,"b":1.0},{"a":1},{}]"#, [#"{"a":1,"b":1.0}"#, "{}"]),
            ("$[?@ == null]", "[null,false,0]", ["null"]),
            ("$[?@ > 0]", "[3,-1,\"9\",2]", ["3", "2"]),
            ("$[?@ >= 'b']", #"["a","b","c",1]"#, [#""b""#, #""c""#]),
            ("$[?@.main == true]", #"[{"main":false},{"main":true}]"#, [#"{"main":true}"#]),
            ("$[?@.a[0] == -1e1]", #"[{"a":[-10]}]"#, [#"{"a":[-10]}"#]),
            ("$.é", #"{"é":1}"#, ["1"]),
            (#"$['it\'s']"#, #"{"it's":1}"#, ["1"]),
            (#"$["\u00e9"]"#, #"{"é":1}"#, ["1"]),
            ("$.a", #"{"a":1,"a":2}"#, ["2"]),
            ("$.a.b", #"{"a":"text"}"#, []),
        ] as [(String, String, [String])])
    func `a path selects values in their order`(
        path: String, document: String, expected: [String]
    ) throws {
        let wanted = try expected.map { try JSON(parsing: Array($0.utf8)) }
        #expect(try values(path, in: document) == wanted)
    }

    @Test(arguments: [
        ("store", "a path begins with “$”", 1),
        ("$.", "expected a name or “*” after “.”; write other names as ['my-name']", 3),
        ("$.1a", "expected a name or “*” after “.”; write other names as ['my-name']", 3),
        ("$.in-stock", "a name with “-” is written as ['my-name']", 5),
        ("$.a b", "expected “.”, “[” or the end, not “ ”", 4),
        ("$.a.length()", "functions are not supported", 11),
        ("$[", "expected a name in quotes, a number, “*”, a slice or “?”", 3),
        ("$[a]", "expected a name in quotes, a number, “*”, a slice or “?”", 3),
        ("$['a'", "expected “]”", 6),
        ("$['a]", "the quote is not closed", 3),
        (#"$['\x']"#, "“\\x” is not an escape", 5),
        ("$[01]", "“01” is not a whole number", 3),
        ("$[-9223372036854775808]", "“-9223372036854775808” is not a whole number", 3),
        ("$[?@.a = 1]", "expected “==”, not “=”", 8),
        ("$[?1]", "expected a comparison, such as “==”", 5),
        ("$[?@.a == ]", "expected “@”, “$”, a text in quotes, a number, true, false or null", 11),
        ("$[?@.* == 1]", "a compared path selects one value: names and indexes only", 4),
        ("$[?1 == @..a]", "a compared path selects one value: names and indexes only", 9),
        ("$[?(@.a]", "expected “)”", 8),
        ("$[?!1]", "expected “(” or a path after “!”", 5),
        ("$[?!@.a == 1]", "“!” stands before a path or before parentheses", 13),
    ])
    func `a wrong path is refused with its column`(path: String, reason: String, column: Int) {
        #expect(throws: SourceSyntaxError(reason: reason, column: column)) {
            try JSONPath(path)
        }
    }

    @Test func `nesting is bounded`() {
        let deep = String(repeating: "(", count: 50) + "@" + String(repeating: ")", count: 50)
        #expect(throws: SourceSyntaxError.self) { try JSONPath("$[?\(deep)]") }
    }

    @Test func `a path selects a bounded number of values`() throws {
        let list =
            "["
            + Array(repeating: "[1,2,3,4,5,6,7,8,9,0]", count: 5_000)
            .joined(separator: ",") + "]"
        #expect(try values("$[*][*]", in: list).count == 10_000)
    }

    @Test(arguments: [
        (
            "$.store.bicycle.colour",
            "$.store.bicycle has no “colour”: it is an object with “color”, “price”, “in-stock”, "
                + "“owner”."
        ),
        ("$.shop.book", "$ has no “shop”: it is an object with “store”."),
        (
            "$.store.book[*].publisher.name",
            "each of the 3 values of $.store.book[*] has no “publisher”: the first is an object "
                + "with “category”, “author”, “title”, “price”."
        ),
        ("$.store.book[7]", "[7] selects nothing of $.store.book: it is a list of 3."),
        ("$.store.bicycle.owner.name", "$.store.bicycle.owner has no “name”: it is null."),
        (
            "$.store.book[?@.price > 1000].title",
            "[?@.price > 1000] selects nothing of $.store.book: it is a list of 3."
        ),
        ("$.store.bicycle.color.name", "$.store.bicycle.color has no “name”: it is \"red\"."),
    ])
    func `a path that selects nothing says which part it missed`(
        path: String, sentence: String
    ) throws {
        let document = try JSON(parsing: Array(Self.store.utf8))
        #expect(try JSONPath(path).miss(in: document) == sentence)
        #expect(try JSONPath("$.store.book[0]").miss(in: document) == nil)
    }

    @Test func `a filter can't look at each value for each other one`() throws {
        let list = Array("[\((0..<20_000).map { "\($0)" }.joined(separator: ","))]".utf8)
        let document = try JSON(parsing: list)
        // 400 million pairs; the first hundred values have looked at all others.
        let path = try JSONPath("$[?$..[?@ == -1] || @ >= 0]")
        let found = path.values(in: document)
        #expect((1..<200).contains(found.count))
        #expect(try JSONPath("$[?@ >= 19998]").values(in: document).count == 2)
    }

    /// 9,000 values, for each of which a comparison would look at all of a list or an object.
    @Test(arguments: ["[\(numbers),-1]", "{\(members)}"])
    func `a filter can't compare two large values for each value of a document`(
        large: String
    ) throws {
        let text = "{\"rows\":[\(Self.numbers)],\"large\":\(large)}"
        let document = try JSON(parsing: Array(text.utf8))
        let found = try JSONPath("$.rows[?$.large == $.large]").values(in: document)
        #expect((1..<300).contains(found.count))
        #expect(try JSONPath("$[?@ == $.large]").values(in: document).count == 1)
    }

    private static let numbers = (0..<9_000).map { "\($0)" }.joined(separator: ",")
    private static let members = (0..<1_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
}
