import JSON

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
