/// What the demo's origin shows, and its bounds.
package struct DemoOriginConfiguration: Sendable {
    /// Everything but the certificate follows from it.
    package var seed: UInt64 = 2_013
    /// A few hundred fill more than one page of the index, which covers 250 ids.
    package var shows = 300
    /// Musicians, whose albums both music catalogs have.
    package var artists = 64
    /// Museum objects; more than 100 make a second page.
    package var objects = 120
    /// On 127.0.0.1; 0 takes any free one.
    package var port = 0
    /// Bytes of drawn pictures kept in memory; 300 shows take about 60 MB.
    package var pictureBytes = 96 << 20
    /// For the catalogs that demand credentials.
    package var credentials = DemoCredentials()
    /// How long a token of the music catalog is good for.
    package var tokenLifetime = Duration.seconds(3_600)
    /// Time before each answer, for benchmarks.
    package var latency = Duration.zero
    /// Added to ``latency``: evenly drawn from zero to this.
    package var jitter = Duration.zero
    package var transport = Transport.http2
    /// Directory whose files are shown at pictures.example; `nil` shows none.
    package var pictures: String?
    /// File to which each request is written; `nil` for none.
    package var log: String?
    /// Share of requests answered with 503, 0…1.
    package var errorRate = 0.0
    /// Share of requests answered with 429 and `Retry-After: 1`, 0…1.
    package var tooManyRequests = 0.0

    package init() {}

    /// How clients reach the origin.
    package enum Transport: String, Sendable, CaseIterable {
        /// HTTP/1.1 without encryption.
        case plain
        /// HTTP/1.1 over TLS.
        case tls
        /// HTTP/2 over TLS, with HTTP/1.1 for clients that want it.
        case http2
    }
}

/// Ids and secrets that the demo's origin accepts. Nothing else does.
package struct DemoCredentials: Sendable, Equatable, Encodable {
    package var spotifyClientID = "demo-client"
    package var spotifyClientSecret = "demo-secret"
    /// Good as a bearer token and as `api_key`.
    package var tmdbToken = "demo-token"

    package init() {}
}
