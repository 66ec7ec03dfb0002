import Catalog
import Fetch

extension ConfigurationKey {
    static let credentials: [Self] =
        secret(
            "spotify.clientID", \.credentials.spotifyClientID.value,
            file: \.credentials.spotifyClientID.file, "the client ID of a Spotify application.")
        + secret(
            "spotify.clientSecret", \.credentials.spotifyClientSecret.value,
            file: \.credentials.spotifyClientSecret.file,
            "the client secret of a Spotify application.")
        + secret(
            "tmdb.token", \.credentials.tmdbToken.value, file: \.credentials.tmdbToken.file,
            "the API read access token of TMDB.")
        + secret(
            "admin.token", \.credentials.adminToken.value, file: \.credentials.adminToken.file,
            "the bearer token of /admin, of 16 bytes or more; without one, /admin is refused.")
        + [
            .list(
                "url.hosts", \.url.hosts,
                of: .hostPattern,
                "Hosts that signed URLs may lead to; an empty list allows every public host.")
        ]
        + secret(
            "url.keys", \.credentials.urlKeys.value, file: \.credentials.urlKeys.file,
            "the keys of /t/…/url/…, of 16 bytes or more, with commas between: the first one signs, "
                + "all are honoured.")
}
