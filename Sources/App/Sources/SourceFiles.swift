import Catalog
import Yams

/// The sources of a configuration: those of its own file and those of the files that it names.
enum SourceFiles {
    /// Returns all sources, with the secrets that the environment holds.
    ///
    /// - Parameter problems: gets files that can't be read, mistakes in them, and names that two sources
    ///   have.
    static func sources(
        _ own: [SourceDefinition], files: [String], environment: [String: String],
        _ problems: inout [ConfigurationError]
    ) -> [SourceDefinition] {
        var sources = own
        for file in files {
            for source in read(file, &problems) {
                guard !sources.contains(where: { $0.name == source.name }) else {
                    problems.append(
                        ConfigurationError(
                            "\(file): sources.\(source.name) is described twice; remove one or "
                                + "rename it."))
                    continue
                }
                sources.append(source)
            }
        }
        for source in sources.indices {
            for host in sources[source].hosts.indices {
                do throws(ConfigurationError) {
                    try resolve(&sources[source].hosts[host].fields, environment)
                    try resolve(&sources[source].hosts[host].query, environment)
                } catch {
                    problems.append(error)
                }
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
    private static func read(
        _ path: String, _ problems: inout [ConfigurationError]
    ) -> [SourceDefinition] {
        let bytes: [UInt8]
        do throws(LocalFileError) {
            bytes = try LocalFile.readRegular(path, limit: 1 << 20)
        } catch {
            problems.append(ConfigurationError("sourceFiles: \(error)"))
            return []
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            problems.append(ConfigurationError("\(path): this is not UTF-8 text."))
            return []
        }
        let file = ConfigurationFile(checking: text, path: path)
        problems += file.problems
        let strays = file.lines.filter { $0.key != "sources" }.sorted { $0.value < $1.value }
        problems += strays.map { stray, line in
            ConfigurationError(
                "\(path):\(line): \(stray) is not a source; sourceFiles have nothing but sources.")
        }
        return file.sources
    }
}
