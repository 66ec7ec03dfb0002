import Catalog
import Yams

/// The sources of a configuration: those of its own file and those of the files that it names.
enum SourceFiles {
    /// Returns all sources, with the secrets that the environment holds.
    ///
    /// - Throws: ``ConfigurationError`` for a file that can't be read, a mistake in it, and a name
    ///   that two sources have.
    static func sources(
        _ own: [SourceDefinition], files: [String], environment: [String: String]
    ) throws(ConfigurationError) -> [SourceDefinition] {
        var sources = own
        for file in files {
            for source in try read(file) {
                guard !sources.contains(where: { $0.name == source.name }) else {
                    throw ConfigurationError(
                        "\(file): sources.\(source.name) is described twice; remove one or rename "
                            + "it.")
                }
                sources.append(source)
            }
        }
        for source in sources.indices {
            for host in sources[source].hosts.indices {
                try resolve(&sources[source].hosts[host].fields, environment)
                try resolve(&sources[source].hosts[host].query, environment)
            }
        }
        return sources
    }

    private static func resolve(
        _ fields: inout [SourceDefinition.Field], _ environment: [String: String]
    ) throws(ConfigurationError) {
        for index in fields.indices {
            guard let variable = fields[index].variable, let value = environment[variable],
                !value.isEmpty
            else { continue }
            guard value.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
                throw ConfigurationError(
                    "\(variable) has characters that a request can't carry.")
            }
            fields[index].value = Secret(fields[index].prefix + value)
        }
    }

    /// Reads a file with nothing but `sources`.
    private static func read(_ path: String) throws(ConfigurationError) -> [SourceDefinition] {
        let bytes: [UInt8]
        do throws(LocalFileError) {
            bytes = try LocalFile.readRegular(path, limit: 1 << 20)
        } catch {
            throw ConfigurationError("sourceFiles: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError("\(path): this is not UTF-8 text.")
        }
        let file = try ConfigurationFile(path: path, text: text)
        if let stray = file.lines.min(by: { $0.value < $1.value })?.key, stray != "sources" {
            throw ConfigurationError(
                "\(path):\(file.lines[stray] ?? 1): \(stray) is not a source; sourceFiles have "
                    + "nothing but sources.")
        }
        return file.sources
    }
}
