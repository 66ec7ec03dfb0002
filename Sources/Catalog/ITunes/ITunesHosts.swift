import Fetch

/// The hosts and load limits of iTunes.
enum ITunesHosts {
    static let api = HostPattern("itunes.apple.com")
    static let images = HostPattern("*.mzstatic.com")
    static let sites = [HostPattern("music.apple.com"), HostPattern("itunes.apple.com")]

    /// The API allows about 20 calls per minute, and a block may last an hour. The image hosts
    /// publish no limit.
    static var policies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (api, HostPolicy(maxConcurrent: 1, rate: .init(count: 1, per: .seconds(3)))),
            (images, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
