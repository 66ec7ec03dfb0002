/// Why the settings can't be used. `description` is one sentence that names the place, the value and
/// what is expected.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    let description: String
    /// A bad flag is a mistake on the command line, everything else one in the configuration.
    var isUsage = false

    init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}

/// Where a value came from.
enum Origin: Sendable, Equatable, CustomStringConvertible {
    case flag(String)
    case environment(String)
    /// The YAML file with its line, or a file with a credential.
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
