import Catalog
import Fetch
import Pipeline
import Serve

extension ConfigurationKey {
    static let credentials: [Self] =
        secret(
            "admin.token", \.credentials.adminToken,
            isReloaded: true,
            "the bearer token of /admin, at least 16 bytes. Without one, /admin is disabled.")
        + [
            .list(
                "url.hosts", \.urlHosts,
                of: .hostPattern,
                "Hosts that signed URLs may lead to; an empty list allows every public host."
            ).reloaded()
        ]
        + secret(
            "url.keys", \.credentials.urlKeys,
            isReloaded: true,
            "the keys of /t/…/url/…, separated by commas or line ends, each of at least 16 bytes. "
                + "The first key signs, all are accepted.")
        + secret(
            "spotify.clientID", \.credentials.spotifyClientID, isReloaded: true,
            "the client ID of a Spotify application.")
        + secret(
            "spotify.clientSecret", \.credentials.spotifyClientSecret, isReloaded: true,
            "the client secret of a Spotify application.")
        + secret(
            "tmdb.token", \.credentials.tmdbToken,
            isReloaded: true, "the API read access token of TMDB.")

    static let userData: [Self] = [
        .single(
            "userData", \.server.userData, .choice,
            "Clients that may use favorites and the search history. off: none; what is kept stays. open: all. "
                + "token: those with the admin token. auto: open for clients of this machine if "
                + "server.host is a loopback address, otherwise off. It is off, too, if the "
                + "settings name a proxy or a cache in front (server.publicURL, server.hosts, "
                + "cdn), and in a fleet, where each node has lists of its own."
        ).resolved { settings in
            let host = ListenAddress(host: settings.server.host, port: settings.server.port)
            let access = host.isLoopback ? settings.userDataAccess : .off
            return access == .automatic ? "open" : access.rawValue
        }.reloaded()
    ]
}
