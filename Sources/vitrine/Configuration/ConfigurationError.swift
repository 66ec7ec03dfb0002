/// Why the settings are invalid. `description` is one sentence with the place, the value and the
/// expected form.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    let description: String
    /// Whether the mistake is a flag on the command line. Otherwise it is in the configuration.
    var isUsage = false

    init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}

/// The place that a value came from.
enum Origin: Sendable, Equatable, CustomStringConvertible {
    case flag(String)
    case environment(String)
    /// The YAML file and line, or a file with a credential.
    case file(String, line: Int?)
    case byDefault

    var description: String {
        switch self {
        case .flag(let name): "flag \(name)"
        case .environment(let name): "environment \(name)"
        case .file(let path, let line): "file \(path)\(line.map { ":\($0)" } ?? "")"
        case .byDefault: "default"
        }
    }
}
