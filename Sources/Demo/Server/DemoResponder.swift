import Glibc
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Hands a request to the site its host belongs to.
final class DemoResponder: Sendable {
    private let sites: [String: any DemoSite]
    private let faults: FaultInjector
    private let log: RequestLog?
    /// The second of the last response, as the field Date has it.
    private let date = Mutex((second: 0, text: ""))
    /// Forms that ask for a token have some dozens.
    private static let maxBodyBytes = 4_096

    init(sites: [any DemoSite], faults: FaultInjector, log: RequestLog? = nil) {
        self.sites = sites.reduce(into: [:]) { table, site in
            for host in site.hosts { table[host] = site }
        }
        self.faults = faults
        self.log = log
    }

    /// - Throws: `CancellationError` if the origin stops during a delay, and the errors of a body that
    ///   does not arrive.
    func respond(to request: Request) async throws -> Response {
        // HTTP/2's `:authority` and HTTP/1's `Host` alike; a port may follow.
        let host = (request.head.authority ?? "").prefix { $0 != ":" }.lowercased()
        // A benchmark makes many hosts of one: their names are below the site's.
        let parent = String(host.drop { $0 != "." }.dropFirst())
        guard let site = sites[host] ?? sites[parent] else {
            return response(.html("421 Misdirected Request", status: 421), to: request)
        }
        let isPost = request.method == .post
        guard [.get, .head].contains(request.method) || isPost && site.takesPosts else {
            return response(.html("405 Method Not Allowed", status: 405), to: request)
        }
        var asked = DemoRequest(isPost: isPost, host: host, path: request.uri.path)
        asked.queryText = request.uri.query ?? ""
        for (name, value) in QueryText.fields(asked.queryText) where asked.query[name] == nil {
            asked.query[name] = value
        }
        asked.accept = request.headers[.accept]
        asked.authorization = request.headers[.authorization]
        asked.ifNoneMatch = request.headers[.ifNoneMatch]
        asked.ifModifiedSince = request.headers[.ifModifiedSince]
        if isPost {
            do {
                asked.body = Array(
                    buffer: try await request.body.collect(upTo: Self.maxBodyBytes))
            } catch is NIOTooManyBytesError {
                return response(.html("413 Content Too Large", status: 413), to: request)
            }
        }
        log?.add(asked)
        if let fault = try await faults.next() { return response(fault, to: request) }
        return response(await site.answer(asked), to: request)
    }

    private func response(_ answer: DemoAnswer, to request: Request) -> Response {
        var headers: HTTPFields = [.date: now()]
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

    private func now() -> String {
        let second = time(nil)
        return date.withLock { date in
            if date.second != second { date = (second, HTTPDate(seconds: second).text) }
            return date.text
        }
    }
}
