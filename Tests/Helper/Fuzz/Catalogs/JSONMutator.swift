import JSON
import TestSupport

/// Changes a document here and there: odd values, missing and doubled fields, deep nesting, then bytes.
struct JSONMutator {
    private var random: SeededGenerator

    init(_ random: SeededGenerator) { self.random = random }

    /// The document with up to eight changes; now and then with none.
    mutating func bytes(of tree: JSON) -> [UInt8] {
        var tree = tree
        for _ in 0..<[0, 1, 1, 2, 3, 8][Int.random(in: 0..<6, using: &random)] { mutate(&tree) }
        var bytes = tree.bytes
        if chance(6) { mutate(&bytes) }
        return bytes
    }

    mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

    mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func mutate(_ tree: inout JSON) {
        switch tree {
        case .list(var values) where !values.isEmpty && !chance(8):
            let index = Int.random(in: 0..<values.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: values.remove(at: index)
            case 1: values.insert(odd(), at: index)
            case 2: values += Array(repeating: values[index], count: 40)
            case 3: values.swapAt(index, 0)
            default: mutate(&values[index])
            }
            tree = .list(values)
        case .object(var members) where !members.isEmpty && !chance(12):
            let index = Int.random(in: 0..<members.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: members.remove(at: index)
            case 1: members.insert(.init(members[index].name, odd()), at: index)
            case 2: members.append(.init(members[index].name, odd()))
            case 3: members[index].value = one(of: members).value
            case 4: members[index].name = one(of: members).name
            default: mutate(&members[index].value)
            }
            tree = .object(members)
        case let old:
            switch Int.random(in: 0..<8, using: &random) {
            case 0: tree = .list([old])
            case 1: tree = .object([.init("id", old), .init("type", old)])
            default: tree = odd()
            }
        }
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.removeSubrange(index...)
        case 2: bytes.insert(one(of: Array("{}[]\",:0e-\\u".utf8) + [0, 0xFF, 0xED]), at: index)
        default: bytes.remove(at: index)
        }
    }

    /// Digits of a number are written as they are, whatever they are.
    private mutating func odd() -> JSON {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .number(one(of: Self.others))
        case 1..<6: .number(one(of: Self.numbers))
        case 6..<11: .number("\"\(one(of: Self.texts))\"")
        default: .number(one(of: Self.large))
        }
    }

    private static let numbers = [
        "0", "-0", "1", "-1", "2", "255", "65536", "2147483647", "2147483648", "-2147483649",
        "4294967295", "9007199254740993", "9223372036854775807", "9223372036854775806",
        "9223372036854774784", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e18", "1e19",
        "1e308", "1e309", "-1e400", "1e-400", "0.5", "1.0", "-1.5", "1E5", "9.2233720368547758e18",
        "123456789012345678901234567890", "NaN", "Infinity", "00", "1e", "+1", "0x10", ".5",
    ]
    private static let others = ["null", "true", "false", "[]", "{}", "[[]]", "[null]", "{\"\":0}"]
    private static let texts = [
        "", " ", "0", "-1", "9223372036854775807", "99999999999999999999", "1e9", "nan", "inf",
        "2013-02-30", "9999-12-31T00:00:00Z", "-0001-01-01T00:00:00Z", "0000-00-00", "292277026596",
        "-271821-04-20", "2013-", "--", "w9223372036854775807", "w-1", "w0", "h632", "original",
        "https://", "https://:443/", "http://[::1", "https://user@id.rijksmuseum.nl/1",
        "https://id.rijksmuseum.nl/1",
        "https://id.rijksmuseum.nl/999999999999999999999999999999999",
        "https://iiif.micr.io/A/full/max/0/default.jpg", "https://iiif.micr.io/////",
        "https://is1-ssl.mzstatic.com/100x100bb.jpg", "https://i.scdn.co/image/", "/../x.jpg",
        "/a.jpg",
        "https://api.spotify.com/v1/search?offset=9223372036854775807&limit=10",
        "https://api.spotify.com/v1/search?offset=-9223372036854775808", "\\u0000", "\\ud800",
        "\\ud83d\\ude00", "<p>&#9999999999;&#x110000;&amp", "<!--", "</script", "&#x;",
        "collection",
        "track", "song", "movie", "Name", "Identifier", "HumanMadeObject", "carried_out_by", "nl",
        "_:b1",
        "http://vocab.getty.edu/aat/300404670", "http://vocab.getty.edu/aat/300388277",
    ]
    private static let large = [
        "\"" + String(repeating: "x", count: 20_000) + "\"",
        "\"" + String(repeating: "<p>&amp;", count: 2_000) + "\"",
        String(repeating: "9", count: 5_000), "1e" + String(repeating: "9", count: 400),
        String(repeating: "[", count: 400) + String(repeating: "]", count: 400),
        String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000),
        String(repeating: "{\"id\":", count: 5_000) + "0" + String(repeating: "}", count: 5_000),
    ]
}
