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
