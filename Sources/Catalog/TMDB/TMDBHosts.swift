import Fetch

/// The hosts and load limits of TMDB.
enum TMDBHosts {
    static let api = HostPattern("api.themoviedb.org")
    static let images = HostPattern("image.tmdb.org")

    /// About 40 calls a second are tolerated; half of it is plenty.
    static var policies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (api, HostPolicy(maxConcurrent: 8, rate: .init(count: 20, per: .seconds(1)))),
            (images, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
