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
            "the comma-separated keys of /t/…/url/…, each of at least 16 bytes. The first key "
                + "signs, all are accepted.")
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
            "Clients that may use favorites and the search history. off: none. open: all. "
                + "token: those with the admin token. auto: open if server.host is a loopback "
                + "address without a proxy in front, otherwise off. In a fleet each node has "
                + "lists of its own, and auto is off."
        ).reloaded()
    ]
}
