import App
import ArgumentParser

/// The queue of a fleet on the command line.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The queue: nats://HOST:PORT, several separated by commas. (default: queue in the "
                + "settings)", valueName: "url"))
    var queue: String?

    var flags: [SettingsLayers.Flag] {
        [.init("--queue", "queue", queue)].compactMap(\.self)
    }
}
