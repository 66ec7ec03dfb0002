import HTTPTypes
import Hummingbird
import NIOCore

/// Hands a request to the site its host belongs to.
struct DemoResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    private let sites: [String: any DemoSite]

    init(sites: [any DemoSite]) {
        self.sites = sites.reduce(into: [:]) { table, site in
            for host in site.hosts { table[host] = site }
        }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        // HTTP/2's `:authority` and HTTP/1's `Host` alike; a port may follow.
        let host = (request.head.authority ?? "").prefix { $0 != ":" }.lowercased()
        guard let site = sites[host] else {
            return response(.html("421 Misdirected Request", status: 421), to: request)
        }
        guard request.method == .get || request.method == .head else {
            return response(.html("405 Method Not Allowed", status: 405), to: request)
        }
        var asked = DemoRequest(path: request.uri.path)
        for (name, value) in request.uri.queryParameters where asked.query[String(name)] == nil {
            asked.query[String(name)] = String(value)
        }
        asked.ifNoneMatch = request.headers[.ifNoneMatch]
        asked.ifModifiedSince = request.headers[.ifModifiedSince]
        return response(await site.answer(asked), to: request)
    }

    private func response(_ answer: DemoAnswer, to request: Request) -> Response {
        var headers = HTTPFields()
        for (name, value) in answer.fields.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        if answer.status != 304 {
            headers[.contentType] = answer.contentType
            headers[.contentLength] = String(answer.body.count)
        }
        let hasBody = request.method != .head && answer.status != 304
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: hasBody ? ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)) : .init())
    }
}
