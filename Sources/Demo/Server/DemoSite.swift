import PlayedAPIs

/// What one real service is in the demo: it answers for its hosts.
protocol DemoSite: Sendable {
    var hosts: [String] { get }
    /// Whether it answers POST, too; others are told 405 without being asked.
    var takesPosts: Bool { get }
    func answer(_ request: DemoRequest) async -> DemoAnswer
}

extension DemoSite {
    var takesPosts: Bool { false }
}

/// The parts of a request that decide its answer.
struct DemoRequest: Sendable {
    /// HEAD counts as GET: its answer is the same without the body.
    var isPost = false
    /// In lower case, without the port.
    var host = ""
    /// As sent, percent-encoded, without the query.
    var path: String
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

    /// What lies between the slashes.
    var segments: [Substring] { path.split(separator: "/", omittingEmptySubsequences: true) }
}

/// Status, header fields and the whole body.
struct DemoAnswer: Sendable, Equatable {
    var status: Int
    var contentType: String
    /// Header fields besides type and length.
    var fields: [String: String] = [:]
    var body: [UInt8]

    static func json(_ json: JSON, status: Int = 200) -> DemoAnswer {
        DemoAnswer(
            status: status, contentType: "application/json; charset=UTF-8",
            fields: ["Cache-Control": "public, max-age=3600", "Access-Control-Allow-Origin": "*"],
            body: json.bytes)
    }

    static func html(_ title: String, status: Int) -> DemoAnswer {
        let page = """
            <!DOCTYPE html>
            <html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>

            """
        return DemoAnswer(status: status, contentType: "text/html", body: Array(page.utf8))
    }

    static let notFound = html("404 Not Found", status: 404)
}
