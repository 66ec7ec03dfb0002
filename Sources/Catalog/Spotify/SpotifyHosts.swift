import Fetch

/// The hosts and load limits of Spotify.
enum SpotifyHosts {
    static let api = HostPattern("api.spotify.com")
    static let tokens = HostPattern("accounts.spotify.com")
    static let images = HostPattern("i.scdn.co")
    static let site = HostPattern("open.spotify.com")

    /// The limit of calls in a rolling window of 30 s is not published. Two calls per second are
    /// far below the rates that were reported as rejected.
    static var policies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (api, HostPolicy(maxConcurrent: 4, rate: .init(count: 60, per: .seconds(30)))),
            (tokens, HostPolicy(maxConcurrent: 1)),
            (images, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
