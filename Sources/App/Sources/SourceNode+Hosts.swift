import Catalog
package import Fetch

extension SourceNode {
    /// Reads the hosts of a source, with their rates and the fields of their requests.
    func hosts() throws(ConfigurationError) -> [SourceDefinition.Host] {
        var hosts: [SourceDefinition.Host] = []
        if isList {
            for element in try elements() {
                hosts.append(.init(try element.pattern(try element.text("a host name"))))
            }
        } else {
            for (name, member) in try members() {
                var host = SourceDefinition.Host(try member.pattern(name))
                if !member.isEmpty {
                    let members = try member.members(["rate", "concurrency", "headers", "query"])
                    host.policy.maxConcurrent =
                        try members["concurrency"]?.number(in: 1...1_000) ?? 16
                    host.policy.rate = try members["rate"]?.parsed(
                        "a number of requests and a time, such as 20/10s",
                        HostPolicy.Rate.init(text:))
                    host.fields = try members["headers"]?.requestFields() ?? []
                    host.query = try members["query"]?.requestFields() ?? []
                }
                hosts.append(host)
            }
        }
        guard !hosts.isEmpty else { throw error("is empty; name at least one host.") }
        return hosts
    }

    private func pattern(_ name: String) throws(ConfigurationError) -> HostPattern {
        let pattern = HostPattern(name)
        let host =
            pattern.description.hasPrefix("*.")
            ? String(pattern.description.dropFirst(2)) : pattern.description
        guard host.contains("."), CheckedURL("https://\(host)/", hosts: [HostPattern(host)]) != nil
        else {
            throw error(
                "is not a host name; expected one such as img.example.org or *.example.org.")
        }
        return pattern
    }

    /// Fields that the fetcher itself sets.
    private static let ownFields = [
        "user-agent", "host", "connection", "content-length", "transfer-encoding", "range",
        "if-none-match", "if-modified-since", "accept-encoding",
    ]

    private func requestFields() throws(ConfigurationError) -> [SourceDefinition.Field] {
        var fields: [SourceDefinition.Field] = []
        for (name, member) in try members() {
            guard
                name.utf8.allSatisfy({ byte in
                    let scalar = Unicode.Scalar(byte)
                    return scalar.isASCII
                        && (scalar.properties.isAlphabetic || 0x30...0x39 ~= byte
                            || "-_".unicodeScalars.contains(scalar))
                })
            else { throw member.error("is not a name of letters, digits and hyphens.") }
            if name.lowercased() == "user-agent" {
                throw member.error("can't be set here; set fetch.userAgent.")
            }
            if Self.ownFields.contains(name.lowercased()) {
                throw member.error("can't be set; the service sets it itself.")
            }
            fields.append(try member.requestField(name))
        }
        return fields
    }

    private func requestField(_ name: String) throws(ConfigurationError) -> SourceDefinition.Field {
        guard isMapping else {
            let secretWords = ["auth", "cookie", "token", "key", "secret", "password"]
            guard !secretWords.contains(where: name.lowercased().contains) else {
                throw error(
                    "looks like a secret and must not stand in this file; write {env: VITRINE_…} or "
                        + "{file: …}.")
            }
            return .init(name: name, value: Secret(try visible(try text())))
        }
        let members = try self.members(["env", "file", "prefix"])
        let prefix = try members["prefix"]?.text() ?? ""
        if let variable = members["env"], members["file"] == nil {
            return .init(name: name, variable: try variable.variableName(), prefix: prefix)
        }
        guard let file = members["file"], members["env"] == nil else {
            throw error("needs a source of its value: either env or file.")
        }
        let path = try file.text("the path of a file")
        let text: String
        do throws(LocalFileError) {
            text = try LocalFile.readSecret(path)
        } catch {
            throw file.error("can't be used: \(error)")
        }
        guard !text.isEmpty else { throw file.error("is an empty file; write the secret into it.") }
        return .init(name: name, value: Secret(prefix + (try file.visible(text))))
    }

    /// Reads the name of a variable of the environment that holds a secret.
    func variableName() throws(ConfigurationError) -> String {
        try parsed("the name of a variable, VITRINE_…") { text in
            text.hasPrefix("VITRINE_") && text.count > 8 ? text : nil
        }
    }

    /// Returns the text if a header field can carry it. The message doesn't show it.
    private func visible(_ text: String) throws(ConfigurationError) -> String {
        guard text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
            throw error("has a value with characters that a request can't carry.")
        }
        return text
    }
}

extension HostPolicy.Rate {
    /// Reads a number of requests and a time, such as `20/10s`; nil for any other text.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (1...10_000).contains(count),
            let per = DurationText.parse(String(parts[1])), per > .zero
        else { return nil }
        self.init(count: count, per: per)
    }
}
