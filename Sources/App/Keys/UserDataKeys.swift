import Pipeline
import Serve

extension ConfigurationKey {
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
