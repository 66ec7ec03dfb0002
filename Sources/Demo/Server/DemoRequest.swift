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

/// Status, header fields and the whole body.
struct DemoAnswer: Sendable, Equatable {
    var status: Int
    var contentType: String
    /// Header fields besides type and length.
    var fields: [String: String] = [:]
    var body: [UInt8]

    static func json(
        _ json: JSON, status: Int = 200, type: String = "application/json; charset=UTF-8",
        cache: String = "public, max-age=3600"
    ) -> DemoAnswer {
        DemoAnswer(
            status: status, contentType: type,
            fields: ["Cache-Control": cache, "Access-Control-Allow-Origin": "*"], body: json.bytes)
    }

    static func html(_ title: String, status: Int) -> DemoAnswer {
        let page = """
            <!DOCTYPE html>
            <html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>

            """
        return DemoAnswer(status: status, contentType: "text/html", body: Array(page.utf8))
    }

    static func redirect(_ address: String) -> DemoAnswer {
        var answer = html("303 See Other", status: 303)
        answer.fields = ["Location": address, "Vary": "Accept"]
        return answer
    }

    static let notFound = html("404 Not Found", status: 404)
}
