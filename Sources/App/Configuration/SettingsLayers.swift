import Catalog
import Memory

/// The layers that settings come from: flags, then the environment, then the file, then defaults.
package struct SettingsLayers: Sendable {
    /// A setting given on the command line.
    package struct Flag: Sendable {
        /// `--port`.
        package var name: String
        /// `server.port`.
        package var path: String
        package var texts: [String]

        package init(name: String, path: String, texts: [String]) {
            self.name = name
            self.path = path
            self.texts = texts
        }

        /// Returns nil for an option that is not given.
        package init?(_ name: String, _ path: String, _ text: String?) {
            guard let text else { return nil }
            self.init(name: name, path: path, texts: [text])
        }
    }

    var flags: [Flag] = []
    /// An empty variable counts as not set.
    var environment: [String: String] = [:]
    package var file: ConfigurationFile?
    /// The default of `memory.budget` in bytes; nil depends on this machine.
    var budget: Int?

    package init(
        flags: [Flag] = [], environment: [String: String] = [:], file: ConfigurationFile? = nil,
        budget: Int? = nil
    ) {
        self.flags = flags
        self.environment = environment
        self.file = file
        self.budget = budget
    }

    /// Looks up every key in the layers, checks the values, and reads the credential files.
    ///
    /// - Throws: ``ConfigurationError`` for the first invalid value, contradiction between settings, or
    ///   unreadable credential file; it is a usage error if a flag is at fault.
    package func load() throws(ConfigurationError) -> LoadedSettings {
        let loaded = check()
        if let first = loaded.problems.first { throw first }
        return loaded
    }

    /// Does the same, and collects every mistake in ``LoadedSettings/problems``.
    package func check() -> LoadedSettings {
        var loaded = LoadedSettings(settings: Settings(), origins: [:])
        loaded.problems = file?.problems ?? []
        var failed = file?.failed ?? []
        for key in ConfigurationKey.all {
            let found = found(key)
            loaded.origins[key.path] = found?.origin ?? .byDefault
            guard let found else { continue }
            if let formerName = found.formerName {
                loaded.warnings.append(Self.warning(formerName, key: key, origin: found.origin))
            }
            if let rejection = key.apply(found.texts, &loaded.settings) {
                loaded.problems.append(Self.error(rejection, key: key, origin: found.origin))
                failed.insert(key.path)
            }
        }
        loaded.settings.sources = sources(
            files: loaded.settings.sourceFiles, &loaded.problems)
        loaded.settings.folders = file?.folders ?? []
        loaded.settings.lists = file?.lists ?? []
        loaded.settings.blocked = BlockedFile.entries(
            loaded.settings.blockedFile, &loaded.problems)
        loaded.settings.traces = TraceSettings.read(environment, &loaded.problems)
        var names: Set<String> = []
        for name in loaded.settings.sources.map(\.name) + loaded.settings.folderNames
            + loaded.settings.lists.map(\.name)
        where !names.insert(name).inserted {
            loaded.problems.append(
                ConfigurationError(
                    "\(name) is the name of two sources, folders or lists; rename one."))
        }
        checkTogether(&loaded, failed)
        loaded.warnings += removedSettings(loaded.settings)
        loaded.warnings += unknownVariables(sources: loaded.settings.sources)
        for (key, file) in loaded.settings.readCredentialFiles(&loaded.problems) {
            loaded.origins[key] = .file(file, line: nil)
        }
        loaded.problems += loaded.settings.credentials.complaints.map { ConfigurationError($0) }
        return loaded
    }

    /// Checks what keys say together, except for those without a valid value.
    private func checkTogether(_ loaded: inout LoadedSettings, _ failed: Set<String>) {
        let ofMemory = ["memory.", "cache.", "imaging.", "server."]
        do throws(ConfigurationError) {
            try loaded.settings.divideMemory(budget ?? MachineMemory.budget())
        } catch {
            if !failed.contains(where: { key in ofMemory.contains(where: key.hasPrefix) }) {
                loaded.problems.append(error)
            }
        }
        for contradiction in loaded.settings.contradictions
        where failed.isDisjoint(with: contradiction.keys) {
            let places = contradiction.keys.compactMap { loaded.origins[$0]?.place }
            let place = places.first { !$0.isEmpty } ?? ""
            loaded.problems.append(ConfigurationError(place + contradiction.sentence))
        }
    }

    /// Says of settings that set nothing any more what holds now.
    private func removedSettings(_ settings: Settings) -> [String] {
        ConfigurationKey.removedPaths.sorted().flatMap { path in
            let reason = ConfigurationKey.successor(of: path, in: settings) ?? ""
            let name = ConfigurationKey.environmentName(of: path)
            let line = file.flatMap { file in
                file.removedLines[path].map { "\(file.path):\($0): \(path)" }
            }
            let variable = (environment[name] ?? "").isEmpty ? nil : name
            return [line, variable].compactMap(\.self).map {
                "\($0) is no longer a setting; remove it. \(reason)"
            }
        } + removedSettingsOfLevels
    }

    /// Says the same of settings of single levels.
    private var removedSettingsOfLevels: [String] {
        guard let key = ConfigurationKey.byPath["imaging.perLevel"], let found = found(key) else {
            return []
        }
        return found.texts.compactMap { text in
            let name = text.prefix { $0 != "=" }
            return Settings.removedOfLevel(name).map {
                "\(found.origin.name(of: key)): \(name) is no longer a setting; remove it. \($0)"
            }
        }
    }

    /// Names variables that set nothing and are probably mistyped.
    private func unknownVariables(sources: [SourceDefinition]) -> [String] {
        let keys = ConfigurationKey.all.flatMap { key in
            ([key.path] + key.formerPaths).map(ConfigurationKey.environmentName)
        }
        let known = Set(
            keys
                + ConfigurationKey.removedPaths.map(ConfigurationKey.environmentName)
                + sources.flatMap { source in
                    source.hosts.flatMap { ($0.fields + $0.query).compactMap(\.variable) }
                })
        return environment.sorted { $0.key < $1.key }.compactMap { name, value in
            guard name.hasPrefix("VITRINE_"), !known.contains(name),
                !Self.isOfKubernetes(name, value)
            else { return nil }
            return NearestName.of(name, among: keys).map {
                "\(name) is set, but there is no such setting. Did you mean \($0)?"
            }
        }
    }

    /// Returns whether Kubernetes sets the variable for a service whose name begins like this program's, such
    /// as VITRINE_SERVICE_HOST, VITRINE_PORT and VITRINE_PORT_8080_TCP_ADDR.
    private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
        let isPort =
            name.hasSuffix("_PORT") && (value.hasPrefix("tcp://") || value.hasPrefix("udp://"))
        return isPort || name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT")
            || name.contains(/_PORT_[0-9]+_(TCP|UDP)/)
    }

    private struct Found {
        var texts: [String]
        var origin: LoadedSettings.Origin
        /// The key's earlier name, if the value was given under that.
        var formerName: String?
    }

    /// Returns the texts of the first layer that has the key, or nil if none has it. Within a layer
    /// the current name wins over a former one.
    private func found(_ key: ConfigurationKey) -> Found? {
        if let flag = flags.last(where: { $0.path == key.path }) {
            return Found(texts: key.parts(flag.texts), origin: .flag(flag.name))
        }
        for path in [key.path] + key.formerPaths {
            let name = ConfigurationKey.environmentName(of: path)
            guard let text = environment[name], !text.isEmpty else { continue }
            return Found(
                texts: key.parts(ofVariable: text), origin: .environment(name),
                formerName: path == key.path ? nil : name)
        }
        if let name = key.commonVariable, let text = environment[name], !text.isEmpty {
            return Found(texts: key.parts(ofVariable: text), origin: .environment(name))
        }
        if key.shape == .tree, let file, let line = file.lines[key.path] {
            return Found(texts: [], origin: .file(file.path, line: line))
        }
        if let file, let texts = file.values[key.path] {
            return Found(
                texts: key.parts(texts),
                origin: .file(file.path, line: file.lines[key.path] ?? 1),
                formerName: file.formerNames[key.path])
        }
        return nil
    }

    /// Names the new name in the form of the layer that has the old one.
    private static func warning(
        _ formerName: String, key: ConfigurationKey, origin: LoadedSettings.Origin
    ) -> String {
        if case .environment = origin {
            return "\(formerName) is deprecated. Use \(key.environmentName)."
        }
        return "\(origin.place)\(formerName) is deprecated. Use \(key.path)."
    }

    private static func error(
        _ rejection: ConfigurationKey.Rejection, key: ConfigurationKey,
        origin: LoadedSettings.Origin
    ) -> ConfigurationError {
        var (text, expected) = (key.redact(rejection.text), rejection.expected)
        if case .file = origin {
            expected = key.asInFile(expected)
            if key.shape == .map, let sign = text.firstIndex(of: "=") {
                text.replaceSubrange(sign...sign, with: ": ")
            }
        }
        let complaint = "is “\(text)”; expected \(expected)."
        return ConfigurationError("\(origin.name(of: key)) \(complaint)", isUsage: origin.isFlag)
    }
}

extension Settings {
    /// Reads the credential files whose values the environment doesn't set. Returns the paths of the keys and
    /// of the files that it read.
    ///
    /// White space around the text, such as a final newline, is removed.
    ///
    /// - Parameter problems: gets why files can't be read.
    fileprivate mutating func readCredentialFiles(
        _ problems: inout [ConfigurationError]
    ) -> [(key: String, file: String)] {
        var read: [(key: String, file: String)] = []
        for key in ConfigurationKey.all {
            guard let place = key.credential, self[keyPath: place].value == nil,
                let file = self[keyPath: place].file
            else { continue }
            do throws(ConfigurationError) {
                self[keyPath: place].value = try Self.secret(key.path, in: file)
                read.append((key.path, file))
            } catch {
                problems.append(error)
            }
        }
        return read
    }

    private static func secret(
        _ key: String, in file: String
    ) throws(ConfigurationError) -> Secret {
        let text: String
        do throws(LocalFileError) {
            text = try LocalFile.readSecret(file)
        } catch {
            throw ConfigurationError("\(key)File: \(error)")
        }
        if text.isEmpty {
            throw ConfigurationError("\(key)File: \(file) is empty; write the secret into it.")
        }
        return Secret(text)
    }
}

extension ConfigurationKey {
    /// Returns the texts as this key takes them: one for a single value, without empty ones for a
    /// list.
    fileprivate func parts(_ texts: [String]) -> [String] {
        switch shape {
        case .single, .secret: [texts.first ?? ""]
        case .list, .map, .tree: texts.filter { !$0.isEmpty }
        }
    }

    /// Splits an environment variable at its commas if this key takes a list.
    fileprivate func parts(ofVariable text: String) -> [String] {
        switch shape {
        case .single, .secret, .tree: [text]
        case .list, .map:
            parts(text.split(separator: ",").map { String($0).trimmed })
        }
    }
}

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
        let file: ConfigurationFile
        do throws(LocalFileError) {
            file = try ConfigurationFile(reading: path)
        } catch {
            problems.append(ConfigurationError("sourceFiles: \(error)"))
            return []
        }
        problems += file.problems
        let strays = file.lines.filter { $0.key != "sources" }.sorted { $0.value < $1.value }
        problems += strays.map { stray, line in
            ConfigurationError(
                "\(path):\(line): \(stray) is not a source; sourceFiles have nothing but sources.")
        }
        return file.sources
    }
}
