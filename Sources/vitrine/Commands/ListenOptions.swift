import App
import ArgumentParser

/// Where the service listens, on the command line.
struct ListenOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Address to listen on.", valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("Port to listen on; 0 takes any free one.", valueName: "port"))
    var port: String?

    @Option(
        help: ArgumentHelp(
            "Separate address for /metrics, /readyz and /admin.",
            valueName: "host:port"))
    var adminAddress: String?

    var flags: [SettingsLayers.Flag] {
        [
            .init("--host", "server.host", host), .init("--port", "server.port", port),
            .init("--admin-address", "server.adminAddress", adminAddress),
        ].compactMap(\.self)
    }
}
