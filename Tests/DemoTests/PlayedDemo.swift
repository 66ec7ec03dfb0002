import Catalog
import Foundation
import TestSupport

@testable import Demo

/// The demo's table of paths, without sockets; and the network of the product's own sources.
struct PlayedDemo: APIReading {
    static let origin = DemoOrigin()

    let routes: Routes

    init() throws {
        routes = Routes(try Self.origin.routes())
    }

    func answer(_ url: String, _ change: (inout DemoRequest) -> Void = { _ in }) async -> DemoAnswer
    {
        let rest = url.dropFirst("https://".count)
        let address = rest.split(separator: "?", maxSplits: 1).map(String.init)
        let host = address[0].prefix { $0 != "/" }
        var request = DemoRequest(
            host: String(host), path: String(address[0].dropFirst(host.count)))
        request.take(query: address.count > 1 ? address[1] : "")
        change(&request)
        return await routes.answer(request)
    }

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        func header(_ name: String) -> String? {
            call.headers.first { $0.name.lowercased() == name }?.value
        }
        func ask(_ url: String) async -> DemoAnswer {
            await self.answer(url) { request in
                request.isPost = call.body != nil
                request.body = call.body ?? []
                request.authorization = header("authorization")
                request.accept = header("accept") ?? "application/json"
            }
        }
        var reply = await ask(call.url)
        // As the fetcher does.
        if reply.status == 303, let location = reply.fields["Location"] {
            reply = await ask(location)
        }
        return APIAnswer(status: reply.status, body: reply.body)
    }

    /// Makes a request one for a token of Spotify.
    static func askForToken(
        _ request: inout DemoRequest, _ pair: String = "demo-client:demo-secret",
        _ form: String = "grant_type=client_credentials"
    ) {
        request.isPost = true
        request.authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
        request.body = Array(form.utf8)
    }

    static func token(in answer: DemoAnswer) throws -> String {
        struct Grant: Decodable { var access_token: String }
        return try JSONDecoder().decode(Grant.self, from: Data(answer.body)).access_token
    }

    func spotifyToken() async throws -> String {
        let answer = await answer("https://accounts.spotify.com/api/token") {
            Self.askForToken(&$0)
        }
        return try Self.token(in: answer)
    }

    /// All items of a list, page by page.
    func all(
        _ source: any Source, _ list: String, _ parameters: [String: String] = [:]
    ) async throws -> [ItemDetails] {
        var next: ListQuery? = try source.query(list: list, parameters: parameters)
        var items: [ItemDetails] = []
        while let query = next, let page = try await source.page(query, api: self) {
            items += page.items
            next = page.next
        }
        return items
    }

    func details(_ source: any Source, _ kind: String, _ id: String) async throws -> ItemDetails {
        try await source.details(of: source.item(kind: kind, id: id), api: self)
    }
}

extension DemoAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }

    var size: JPEGSize? { JPEGSize(body) }
}

/// Width and height out of a JPEG's frame header.
struct JPEGSize: Equatable {
    var width: Int
    var height: Int

    init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// Returns `nil` if the bytes are not a JPEG.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var position = 2
        while position + 9 < bytes.count, bytes[position] == 0xFF {
            func word(_ offset: Int) -> Int {
                Int(bytes[position + offset]) << 8 | Int(bytes[position + offset + 1])
            }
            if [0xC0, 0xC1, 0xC2].contains(bytes[position + 1]) {
                self.init(word(7), word(5))
                return
            }
            position += 2 + word(2)
        }
        return nil
    }
}
