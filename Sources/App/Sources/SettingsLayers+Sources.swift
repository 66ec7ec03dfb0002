import Catalog
import Yams

extension SettingsLayers {
    /// Returns the sources of the file of settings and of the files that it names, with the secrets that
    /// the environment holds.
    ///
    /// - Parameter problems: gets files that can't be read, mistakes in them, and names that two sources
    ///   have.
    func sources(
        files: [String], _ problems: inout [ConfigurationError]
    ) -> [SourceDefinition] {
        var sources = file?.sources ?? []
        for file in files {
            for source in Self.sources(in: file, &problems) {
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
                    try resolve(&sources[source].hosts[host].fields)
                    try resolve(&sources[source].hosts[host].query)
                } catch {
                    problems.append(error)
                }
            }
        }
        return sources
    }

    private func resolve(
        _ fields: inout [SourceDefinition.Field]
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
    private static func sources(
        in path: String, _ problems: inout [ConfigurationError]
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
