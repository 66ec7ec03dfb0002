import App
import Console
import Fetch
import FoundationEssentials
import Serve
import Threads

/// Asks a running service on this machine whether it works.
struct HealthCheck: Sendable {
    /// Without a path.
    let url: String
    private let fetching: FetchConfiguration

    /// A container's health check shouldn't wait for longer. A picture through idle render threads takes
    /// some milliseconds.
    private static let patience = Duration.seconds(5)

    /// Asks where a service with these settings listens.
    ///
    /// - Throws: ``CommandError`` if the settings leave the port open.
    init(_ settings: Settings) throws(CommandError) {
        let server = settings.server
        let admin = settings.adminAddress
        let address = admin ?? ListenAddress(host: server.host, port: server.port)
        if address.port == 0 {
            let (key, option) =
                admin == nil
                ? ("server.port", "--port") : ("server.adminAddress", "--admin-address")
            throw CommandError(
                "\(key) leaves the port open. Give the one that the service took with \(option).")
        }
        let certificate = admin == nil ? settings.tlsCertificate : nil
        self.init(address, certificate: certificate, name: server.hosts.first)
    }

    /// - Parameters:
    ///   - address: of the service.
    ///   - certificate: path of its certificate; nil without TLS.
    ///   - name: one that the certificate is for.
    init(_ address: ListenAddress, certificate: String? = nil, name: String? = nil) {
        var address = address
        // Nobody can connect to all networks.
        let anywhere = ["0.0.0.0": "127.0.0.1", "::": "::1", "*": "127.0.0.1"]
        address.host = anywhere[address.host] ?? address.host
        var fetching = FetchConfiguration()
        fetching.reach = .endpoints
        (fetching.connectTimeout, fetching.totalTimeout) = (Self.patience, Self.patience)
        fetching.retry.attempts = 1
        if let certificate {
            var named = address
            named.host = name ?? address.host
            // Only the certificate of the service is trusted, whichever authority signed it.
            fetching.caFile = certificate
            fetching.connectTo = ["\(named):\(address)"]
            url = "https://\(named)"
        } else {
            url = "http://\(address)"
        }
        self.fetching = fetching
    }

    /// Returns what the service answers.
    ///
    /// - Parameter ready: whether it is asked if it is ready.
    /// - Throws: ``CommandError`` if it doesn't work, or can't be reached.
    func ask(ready: Bool = false) async throws(CommandError) -> String {
        let place = "\(url)/\(ready ? "readyz" : "healthz")"
        let answer: FetchResponse
        do {
            let fetcher = try Fetcher(fetching)
            answer = try await withEnd(fetcher.shutdown) {
                try await fetcher.fetch(
                    FetchRequest(url: place, purpose: .api, maxBytes: 64 << 10))
            }
        } catch {
            throw CommandError("\(place) does not answer: \(error)")
        }
        let text = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200 else {
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(answer.body))
            throw CommandError(
                "\(place) answers \(answer.status)\(problem.map { ": \($0.detail)" } ?? ".")")
        }
        return String(text.prefix { $0 != "\n" })
    }

    /// Returns the metrics of the service; nil if nothing answers.
    ///
    /// - Parameter token: of the operator; nil without one.
    func metrics(_ token: String?) async -> (status: Int, text: String)? {
        do {
            let fetcher = try Fetcher(fetching)
            let answer = try await withEnd(fetcher.shutdown) {
                var request = FetchRequest(
                    url: "\(url)/metrics", purpose: .api, maxBytes: 8 << 20)
                request.headers =
                    token.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
                return try await fetcher.fetch(request)
            }
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        } catch {
            // That none runs is no mistake of the settings.
            return nil
        }
    }

    private struct Problem: Decodable {
        var detail: String
    }
}
