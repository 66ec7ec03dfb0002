import Pipeline
import Serve

extension ConfigurationKey {
    static let userData: [Self] = [
        .single(
            "userData", \.server.userData, .choice,
            "Clients that may use favorites and the search history. off: none. open: all. "
                + "token: clients with the admin token. auto: open if server.host is a loopback "
                + "address without a proxy in front, otherwise off. Each node of a fleet has lists of "
                + "its own, so auto is off with a NATS queue: switch it on at one node."
        ).reloaded()
    ]
}
