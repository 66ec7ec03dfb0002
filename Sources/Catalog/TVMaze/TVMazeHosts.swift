import Fetch

/// The hosts and load limits of TVmaze.
enum TVMazeHosts {
    static let api = HostPattern("api.tvmaze.com")
    static let images = HostPattern("static.tvmaze.com")
    static let sites = [HostPattern("tvmaze.com"), HostPattern("www.tvmaze.com")]

    /// The API allows 20 calls in 10 s and few idle connections. The image host publishes no limit.
    static var policies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (
                api,
                HostPolicy(maxConcurrent: 4, rate: .init(count: 20, per: .seconds(10)))
            ),
            (images, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
