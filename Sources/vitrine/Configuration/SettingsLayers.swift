import Configuration
import Synchronization

/// A setting given on the command line.
struct FlagValue: Sendable {
    /// `--port`.
    var name: String
    /// `server.port`.
    var path: String
    var texts: [String]
}

/// The settings in force, and where each came from.
struct LoadedSettings: Sendable {
    var settings: Settings
    /// By path, for every key.
    var origins: [String: Origin]
}

/// The layers that settings come from: flags, then the environment, then the file, then defaults.
struct SettingsLayers: Sendable {
    var flags: [FlagValue] = []
    /// An empty variable counts as one that isn't set.
    var environment: [String: String] = [:]
    var file: ConfigurationFile?

    /// Looks every key up in the layers, checks what is found, and reads the files of credentials.
    func load() throws(ConfigurationError) -> LoadedSettings {
        let recorder = LayerRecorder()
        let reader = ConfigReader(
            providers: [flagProvider, environmentProvider, fileProvider],
            accessReporter: recorder)
        var loaded = LoadedSettings(settings: Settings(), origins: [:])
        for key in ConfigurationKey.all {
            let texts = texts(of: key, in: reader)
            let origin = texts == nil ? .byDefault : origin(of: key, layer: recorder.layer)
            loaded.origins[key.path] = origin
            guard let texts else { continue }
            if let rejection = key.apply(texts, &loaded.settings) {
                throw Self.error(rejection, key: key, origin: origin)
            }
        }
        if let contradiction = loaded.settings.contradiction {
            throw ConfigurationError(contradiction)
        }
        for path in try loaded.settings.credentials.readFiles() {
            let file = loaded.settings.credentials[keyPath: path.place].file ?? ""
            loaded.origins[path.key] = .file(file, line: nil)
        }
        return loaded
    }

    private func texts(of key: ConfigurationKey, in reader: ConfigReader) -> [String]? {
        let name = ConfigKey(key.path)
        return switch key.shape {
        case .single: reader.string(forKey: name).map { [$0] }
        case .secret: reader.string(forKey: name, isSecret: true).map { [$0] }
        case .list, .map: reader.stringArray(forKey: name)?.filter { !$0.isEmpty }
        }
    }

    private func origin(of key: ConfigurationKey, layer: Int) -> Origin {
        switch layer {
        case 0: .flag(flags.last { $0.path == key.path }?.name ?? "")
        case 1: .environment(key.environmentName)
        default: .file(file?.path ?? "", line: file?.lines[key.path] ?? 1)
        }
    }

    private static func error(
        _ rejection: ConfigurationKey.Rejection, key: ConfigurationKey, origin: Origin
    ) -> ConfigurationError {
        let text = key.redact(rejection.text)
        let complaint = "is \"\(text)\"; expected \(rejection.expected)."
        return switch origin {
        case .flag(let name): ConfigurationError("\(name) \(complaint)", isUsage: true)
        case .environment(let name): ConfigurationError("\(name) \(complaint)")
        case .file(let path, let line):
            ConfigurationError("\(path)\(line.map { ":\($0)" } ?? ""): \(key.path) \(complaint)")
        case .byDefault: ConfigurationError("\(key.path) \(complaint)")
        }
    }
}

extension SettingsLayers {
    private var flagProvider: InMemoryProvider {
        let pairs = flags.map { ($0.path, $0.texts) }
        return Self.provider(
            named: "flags", Dictionary(pairs, uniquingKeysWith: { _, last in last }))
    }

    private var fileProvider: InMemoryProvider {
        Self.provider(named: file?.path ?? "no file", file?.values ?? [:])
    }

    private static func provider(named name: String, _ values: [String: [String]])
        -> InMemoryProvider
    {
        var contents: [AbsoluteConfigKey: ConfigValue] = [:]
        for (path, texts) in values {
            let isSingle = ConfigurationKey.byPath[path]?.shape == .single
            let content: ConfigContent =
                isSingle ? .string(texts.first ?? "") : .stringArray(texts)
            contents[AbsoluteConfigKey(ConfigKey(path))] = ConfigValue(content, isSecret: false)
        }
        return InMemoryProvider(name: name, values: contents)
    }

    private var environmentProvider: some ConfigProvider {
        let secrets = Set(
            ConfigurationKey.all.filter { $0.shape == .secret }.map(\.environmentName))
        return EnvironmentVariablesProvider(
            environmentVariables: environment.filter { !$0.value.isEmpty },
            secretsSpecifier: .specific(secrets)
        ).mapKeys { key in
            let path = key.components.joined(separator: ".")
            return AbsoluteConfigKey([ConfigurationKey.environmentName(of: path)])
        }
    }
}

/// Remembers which layer answered last.
private final class LayerRecorder: AccessReporter {
    private let last = Mutex(0)

    /// Index of the provider; a look-up asks one after the other until one answers.
    var layer: Int { last.withLock { $0 } }

    func report(_ event: AccessEvent) {
        last.withLock { $0 = event.providerResults.count - 1 }
    }
}
