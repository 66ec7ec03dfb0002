import Logging

/// The settings in force, and where each came from.
package struct LoadedSettings: Sendable {
    /// The place that a value came from.
    package enum Origin: Sendable, Equatable, CustomStringConvertible {
        case flag(String)
        case environment(String)
        /// The YAML file and line, or a file with a credential.
        case file(String, line: Int?)
        case byDefault

        package var description: String {
            switch self {
            case .flag(let name): "flag \(name)"
            case .environment(let name): "environment \(name)"
            case .file(let path, let line): "file \(path)\(line.map { ":\($0)" } ?? "")"
            case .byDefault: "default"
            }
        }

        var isFlag: Bool { if case .flag = self { true } else { false } }

        /// `vitrine.yaml:7: `; empty for what is not in a file.
        var place: String {
            guard case .file(let path, let line) = self else { return "" }
            return "\(path)\(line.map { ":\($0)" } ?? ""): "
        }

        /// Returns the name by which the key was given: that of a flag or variable, else its path and place.
        func name(of key: ConfigurationKey) -> String {
            switch self {
            case .flag(let name), .environment(let name): name
            case .file, .byDefault: place + key.path
            }
        }
    }

    package var settings: Settings
    /// By path, for every key.
    package var origins: [String: Origin]
    /// Sentences for the operator about settings that still work and should be changed.
    package var warnings: [String] = []
    /// Every mistake that was found. With one, the settings must not be used.
    package var problems: [ConfigurationError] = []

    /// Logs the warnings. Call it after the log was started.
    package func logWarnings() {
        let logger = Logger(label: "vitrine")
        for warning in warnings { logger.warning("\(warning)") }
    }
}
