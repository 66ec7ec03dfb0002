import Fetch

/// The hosts and load limits of TMDB.
enum TMDBHosts {
    static let api = HostPattern("api.themoviedb.org")
    static let images = HostPattern("image.tmdb.org")

    /// The API tolerates about 40 calls per second. Half of that is enough.
    static var policies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (api, HostPolicy(maxConcurrent: 8, rate: .init(count: 20, per: .seconds(1)))),
            (images, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
