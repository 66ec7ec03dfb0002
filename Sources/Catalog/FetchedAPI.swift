package import Fetch
import FoundationEssentials

/// Reads API documents over the network.
package struct FetchedAPI: APIReading {
    private let fetch: any Fetching
    private let maxBytes: Int

    /// - Parameter maxBytes: limit of a document's size. A page of a catalog has a few hundred kB,
    ///   so the default leaves room for thirty times that.
    package init(fetch: any Fetching, maxBytes: Int = 16 << 20) {
        self.fetch = fetch
        self.maxBytes = maxBytes
    }

    package func read(_ call: APICall) async throws(CatalogError) -> APIAnswer {
        guard let url = CheckedURL(call.url, hosts: call.allowedHosts) else {
            throw .unavailable(
                reason: "A source's API is asked over https at its own hosts only.",
                timedOut: false, retryAfter: nil)
        }
        var request = FetchRequest(
            url: url.text(adding: call.secretQuery), purpose: .api, maxBytes: maxBytes)
        request.headers = call.headers
        if !call.headers.contains(where: { $0.name.lowercased() == "accept" }) {
            request.headers.append((name: "Accept", value: "application/json"))
        }
        if let body = call.body {
            request.method = .post
            request.body = body
        }
        request.allowedHosts = call.allowedHosts
        request.maxRedirects = call.maxRedirects
        let response: FetchResponse
        do {
            response = try await fetch.fetch(request)
        } catch {
            throw Self.failure(of: error)
        }
        return try Self.answer(response, host: url.host)
    }

    private static func answer(
        _ response: FetchResponse, host: String
    ) throws(CatalogError) -> APIAnswer {
        guard !response.url.lowercased().hasPrefix("http:") else {
            throw .unavailable(
                reason: "\(host) redirected to an address without TLS.", timedOut: false,
                retryAfter: nil)
        }
        switch response.status {
        case 408, 425, 429, 500...:
            throw .unavailable(
                reason: "\(host) answered \(response.status).",
                timedOut: response.status == 408 || response.status == 504,
                retryAfter: response.header("retry-after").flatMap {
                    RetryAfter($0, now: Date())?.seconds
                })
        default:
            return APIAnswer(status: response.status, body: response.body)
        }
    }

    private static func failure(of error: FetchError) -> CatalogError {
        let timedOut: Bool
        switch error {
        case .cancelled: return .cancelled
        case .configuration(let reason): return .unconfigured(reason: reason)
        case .timedOut: timedOut = true
        case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .tooLarge,
            .resolveFailed, .connectFailed, .tlsFailed, .truncated, .protocolError, .stopped:
            timedOut = false
        }
        return .unavailable(
            reason: String(describing: error), timedOut: timedOut, retryAfter: nil)
    }
}
