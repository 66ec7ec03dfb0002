import Catalog

@testable import Demo

/// The demo's sites as the network of the product's own sources.
struct PlayedAPI: APIReading {
    let sites: [any DemoSite]

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        var answer = await answer(call.url, call)
        // As the fetcher does.
        if answer.status == 303, let location = answer.fields["Location"] {
            answer = await self.answer(location, call)
        }
        return APIAnswer(status: answer.status, body: answer.body)
    }

    private func answer(_ url: String, _ call: APICall) async -> DemoAnswer {
        var request = DemoRequest(url: url)
        request.isPost = call.body != nil
        request.body = call.body ?? []
        func header(_ name: String) -> String? {
            call.headers.first { $0.name.lowercased() == name }?.value
        }
        request.authorization = header("authorization")
        request.accept = header("accept") ?? "application/json"
        guard let site = sites.first(where: { $0.hosts.contains(request.host) }),
            !request.isPost || site.takesPosts
        else { return .notFound }
        return await site.answer(request)
    }
}

extension DemoRequest {
    init(url: String) {
        let rest = url.dropFirst("https://".count)
        let address = rest.split(separator: "?", maxSplits: 1).map(String.init)
        let host = address[0].prefix { $0 != "/" }
        self.init(host: String(host), path: String(address[0].dropFirst(host.count)))
        queryText = address.count > 1 ? address[1] : ""
        for (name, value) in QueryText.fields(queryText) where query[name] == nil {
            query[name] = value
        }
    }
}

extension DemoAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }
}
