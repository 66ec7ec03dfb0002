import Hashing
import JSON
import PlayedAPIs

/// The parts of a request that decide its answer.
struct DemoRequest: Sendable {
    /// HEAD counts as GET: its answer is the same without the body.
    var isPost = false
    /// In lower case, without the port.
    var host = ""
    /// As sent, percent-encoded, without the query.
    var path: String
    /// What stands at the stars of the row that the path fits.
    var names: [String] = []
    /// Decoded; of equal names the first.
    var query: [String: String] = [:]
    /// As sent, without the question mark. Empty without a query.
    var queryText = ""
    var accept: String?
    var authorization: String?
    var ifNoneMatch: String?
    var ifModifiedSince: String?
    /// Of a POST.
    var body: [UInt8] = []

    /// Takes what stands behind the question mark.
    mutating func take(query text: String) {
        queryText = text
        for (name, value) in Self.fields(of: text) where query[name] == nil { query[name] = value }
    }

    /// Returns what stands behind a question mark as HTML forms write it: names and values in their order,
    /// decoded; a plus sign is a space.
    static func fields(of text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { field in
            let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(sides[0]), sides.count > 1 ? decoded(sides[1]) : "")
        }
    }

    /// Returns a value for such a place: everything but letters, digits and `-._~*` percent-encoded.
    static func encoded(_ text: String) -> String { PercentCoding.encoded(text, keeping: "*") }

    private static func decoded(_ text: some StringProtocol) -> String {
        PercentCoding.decoded(text, isForm: true) ?? String(text)
    }
}
