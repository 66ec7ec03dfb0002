package import App
package import ArgumentParser
import FoundationEssentials

/// The options of every command. They win over the environment, the file and the defaults.
package struct SharedOptions: ParsableArguments {
    package static let defaultFile = "config/vitrine.yaml"
    /// The file of the service that the package installs.
    package static let installedFile = "/etc/vitrine/vitrine.yaml"

    @Option(
        help: ArgumentHelp(
            "YAML file with settings. (default: config/vitrine.yaml if it exists, else "
                + "/etc/vitrine/vitrine.yaml if that exists) Every command also takes --cache, --log-level, --connect-to, --ca-file, --proxy and "
                + "--allow-network; --help-hidden describes them.",
            valueName: "file"))
    package var config: String?

    @Option(help: ArgumentHelp("Directory of the cache.", valueName: "dir", visibility: .hidden))
    package var cache: String?

    @Option(
        help: ArgumentHelp(
            "Minimum log level: trace, debug, info, notice, warning, error or "
                + "critical.",
            valueName: "level", visibility: .hidden))
    package var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "Connect to the second pair instead of the first; repeatable.",
            valueName: "host:port:host:port", visibility: .hidden))
    package var connectTo: [String] = []

    @Option(
        help: ArgumentHelp(
            "PEM file of certificates trusted instead of the system's.", valueName: "file",
            visibility: .hidden))
    package var caFile: String?

    @Option(help: ArgumentHelp("Proxy for every transfer.", valueName: "url", visibility: .hidden))
    package var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Allow a network that is not public; repeatable.",
            valueName: "cidr", visibility: .hidden))
    package var allowNetwork: [String] = []

    package init() {}

    /// Returns the settings in force. Reads the files of settings and credentials, so it blocks.
    ///
    /// - Parameter flags: the command's own flags, such as `--port`.
    package func load(
        _ flags: [SettingsLayers.Flag] = [],
        environment: [String: String] = ProcessEnvironment.values
    ) throws(ConfigurationError) -> LoadedSettings {
        let loaded = check(flags, environment: environment)
        if let first = loaded.problems.first { throw first }
        return loaded
    }

    /// Does the same, and collects every mistake in ``LoadedSettings/problems``.
    package func check(
        _ flags: [SettingsLayers.Flag] = [],
        environment: [String: String] = ProcessEnvironment.values
    ) -> LoadedSettings {
        var layers = SettingsLayers(flags: self.flags + flags, environment: environment)
        do throws(ConfigurationError) {
            layers.file = try file()
        } catch {
            var loaded = layers.check()
            loaded.problems.insert(error, at: 0)
            return loaded
        }
        return layers.check()
    }

    /// Loads the settings and starts the log. Call it once per process.
    ///
    /// - Parameter isService: whether a program may read all that the process writes to standard error.
    package func start(
        _ flags: [SettingsLayers.Flag] = [], isService: Bool = false
    ) throws(ConfigurationError) -> Settings {
        let loaded = check(flags)
        if isService { ConsoleLog.takeSentences(loaded.settings.log) }
        if let first = loaded.problems.first { throw first }
        ConsoleLog.bootstrap(loaded.settings.log)
        loaded.logWarnings()
        return loaded.settings
    }

    private var flags: [SettingsLayers.Flag] {
        let single: [SettingsLayers.Flag?] = [
            .init("--cache", "cache.directory", cache), .init("--log-level", "log.level", logLevel),
            .init("--ca-file", "fetch.caFile", caFile), .init("--proxy", "fetch.proxy", proxy),
        ]
        let lists = [
            SettingsLayers.Flag(name: "--connect-to", path: "fetch.connectTo", texts: connectTo),
            SettingsLayers.Flag(
                name: "--allow-network", path: "fetch.allowNetworks", texts: allowNetwork),
        ]
        return single.compactMap(\.self) + lists.filter { !$0.texts.isEmpty }
    }

    /// The same options for another program.
    package var arguments: [String] {
        (config.map { ["--config", $0] } ?? [])
            + flags.flatMap { flag in flag.texts.flatMap { [flag.name, $0] } }
    }

    /// The path of the file of settings: the one that is given, else the first of ``defaultFile`` and
    /// ``installedFile`` that exists; nil if none does.
    package var path: String? {
        config
            ?? [Self.defaultFile, Self.installedFile].first {
                FileManager.default.fileExists(atPath: $0)
            }
    }

    private func file() throws(ConfigurationError) -> ConfigurationFile? {
        guard let path else { return nil }
        do throws(LocalFileError) {
            return try ConfigurationFile(reading: path)
        } catch {
            throw ConfigurationError("\(error.description.dropLast()); check --config.")
        }
    }
}
