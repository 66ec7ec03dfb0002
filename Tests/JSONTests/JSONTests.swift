import JSON
import Testing

@Suite(.timeLimit(.minutes(1))) struct JSONTests {
    @Test(arguments: [
        ("null", JSON.null), (" true ", .flag(true)), ("-0.5e+3", .number("-0.5e+3")),
        ("12345678901234567890", .number("12345678901234567890")),
        (#""aé\n\u00e9\ud83d\ude00\/""#, .text("aé\né😀/")),
        (#""\ud83d""#, .text("\u{FFFD}")), ("[ ]", .list([])), ("{}", .object([])),
        ("\u{FEFF}[1 , [2]]", .list([.number("1"), .list([.number("2")])])),
    ])
    func `a document keeps its values as written`(text: String, expected: JSON) throws {
        #expect(try JSON(parsing: Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        "", "nul", "[1,]", "{\"a\"}", "{a:1}", "[1 2]", "01", "1.", "1e", "+1", ".5", "\"a",
        "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "[1]]", "<html>", "{\"a\":1,}", "'a'", "\"\\",
        String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
    ])
    func `text that is not JSON is refused`(text: String) {
        #expect(throws: (any Error).self) { try JSON(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("1", 1, 0), ("[]", 2, 0), ("[1, 2]", 3, 0), ("{\"a\":1,\"b\":2}", 3, 2),
        ("[[1],[1]]", 5, 0), (#""[,{\":""#, 1, 0), (#"{"a":"\"b","c":[",",":"]}"#, 5, 2),
    ])
    func `the extent of a document counts its values and members, at least`(
        text: String, values: Int, members: Int
    ) {
        let extent = JSON.Extent(of: Array(text.utf8))
        #expect(extent.values >= values && extent.values <= values + 1)
        #expect(extent.members == members)
    }

    @Test(arguments: ["[1],", "[],", "{},", "{\"a\":1},", "\"0123456789abcdef\",", "1,"])
    func `a document that would take more memory than it may is refused as a whole`(part: String) {
        let document = Array(("[" + String(repeating: part, count: 100_000) + "1]").utf8)
        let extent = JSON.Extent(of: document)
        #expect(extent.memory >= 100_000 * MemoryLayout<JSON>.stride)
        #expect(extent.memory <= document.count * 80)
        #expect(throws: JSON.TooLarge.self) {
            try JSON(parsing: document, atMost: extent.memory - 1)
        }
        #expect(throws: Never.self) { try JSON(parsing: document, atMost: extent.memory) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: (any Error).self) { try JSON(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test func `written text escapes what JSON can't have, in its shortest form`() {
        let text = String(decoding: Array(UInt8(0)...0x7F), as: UTF8.self) + "é\u{2028}😀"
        let controls =
            #"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
            + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d"#
            + #"\u001e\u001f"#
        let plain = ##" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdef"##
        #expect(
            JSON.text(text).text
                == "\"\(controls)\(plain)ghijklmnopqrstuvwxyz{|}~\u{7F}é\u{2028}😀\"")
    }

    @Test(arguments: [
        (1.0, "1"), (0.5, "0.5"), (1e-7, "1e-07"), (1e20, "1e+20"), (-0.0, "-0"),
        (0.1 + 0.2, "0.30000000000000004"), (12_345_678.9, "12345678.9"),
    ])
    func `a number has the fewest digits that name it`(number: Double, digits: String) {
        #expect(JSON(number).text == digits)
    }

    @Test func `members keep their order, or are sorted by the bytes of their names`() {
        let document: JSON = [
            "b": 1, "a10": ["é": true, "z": .null], "B": [["d": [], "c": [:]]], "a9": "",
        ]
        #expect(
            document.text == #"{"b":1,"a10":{"é":true,"z":null},"B":[{"d":[],"c":{}}],"a9":""}"#)
        #expect(
            String(decoding: document.sortedBytes, as: UTF8.self)
                == #"{"B":[{"c":{},"d":[]}],"a10":{"z":null,"é":true},"a9":"","b":1}"#)
    }
}
