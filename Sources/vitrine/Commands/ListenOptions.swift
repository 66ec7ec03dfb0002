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
            "Address of /metrics, /readyz and /admin, instead of beside the pictures.",
            valueName: "host:port"))
    var adminAddress: String?

    var flags: [SettingsLayers.Flag] {
        [
            .init("--host", "server.host", host), .init("--port", "server.port", port),
            .init("--admin-address", "server.adminAddress", adminAddress),
        ].compactMap(\.self)
    }
}
