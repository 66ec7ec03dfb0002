import Fetch
import TestSupport

/// Times a request out as soon as its origin has stopped answering it. A slow request on a busy
/// machine is therefore never mistaken for an unanswered one.
struct HastyFetch: Fetching {
    let fetch: any Fetching
    let origin: OriginServer

    func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        let place = request.url.drop { $0 != ":" }.dropFirst(3)
        let host = String(place.prefix { $0 != "/" })
        let path = String(place.dropFirst(host.count).prefix { $0 != "?" })
        let result = await withTaskGroup(of: Result<FetchResponse, FetchError>.self) { group in
            group.addTask {
                do throws(FetchError) {
                    return .success(try await fetch.fetch(request))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do {
                    try await origin.wait { $0.fellSilent(at: path, of: host) }
                    return .failure(FetchError(.timedOut(connected: true), host: host))
                } catch {
                    return .failure(FetchError(.canceled))
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(FetchError(.canceled))
        }
        return try result.get()
    }
}
