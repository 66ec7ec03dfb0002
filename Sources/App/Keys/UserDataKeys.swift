import Pipeline
import Serve

extension ConfigurationKey {
    static let userData: [Self] = [
        .single(
            "userData", \.server.tuning.userData, .choice,
            "Who may use favorites and the search history: off is no client, open is every client, "
                + "token is clients with the admin token. auto is open where server.host is a loopback "
                + "address and no proxy is in front, and off elsewhere.")
    ]

    static let favorites: [Self] = [
        .single(
            "favorites.max", \.favorites.max, .integer(0...100_000),
            "Favorites that are kept; one more is refused with 409."),
        .single(
            "favorites.lookupsPerMinute", \.favorites.lookupsPerMinute, .integer(0...10_000),
            "Favorites without stored details that are looked up at their source a minute, in the "
                + "background."),
    ]
}
