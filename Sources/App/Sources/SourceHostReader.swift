import Catalog
import Fetch

/// Reads the hosts of a source from a file of settings, with their rates and the fields of their requests.
enum SourceHostReader {
    static func hosts(
        _ node: SourceNode
    ) throws(ConfigurationError) -> [SourceDefinition.Host] {
        var hosts: [SourceDefinition.Host] = []
        if node.isList {
            for element in try node.elements() {
                hosts.append(.init(try pattern(try element.text("a host name"), element)))
            }
        } else {
            for (name, member) in try node.members() {
                var host = SourceDefinition.Host(try pattern(name, member))
                if !member.isEmpty {
                    let members = try member.members(["rate", "concurrency", "headers", "query"])
                    host.policy.maxConcurrent =
                        try members["concurrency"]?.number(in: 1...1_000) ?? 16
                    host.policy.rate = try members["rate"]?.parsed(
                        "a number of requests and a time, such as 20/10s", rate)
                    host.fields = try members["headers"].map(fields) ?? []
                    host.query = try members["query"].map(fields) ?? []
                }
                hosts.append(host)
            }
        }
        guard !hosts.isEmpty else { throw node.error("is empty; name at least one host.") }
        return hosts
    }

    private static func pattern(
        _ name: String, _ node: SourceNode
    ) throws(ConfigurationError) -> HostPattern {
        let pattern = HostPattern(name)
        let host =
            pattern.description.hasPrefix("*.")
            ? String(pattern.description.dropFirst(2)) : pattern.description
        guard host.contains("."), CheckedURL("https://\(host)/", hosts: [HostPattern(host)]) != nil
        else {
            throw node.error(
                "is not a host name; expected one such as img.example.org or *.example.org.")
        }
        return pattern
    }

    private static func rate(_ text: String) -> HostPolicy.Rate? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (1...10_000).contains(count),
            let per = DurationText.parse(String(parts[1])), per > .zero
        else { return nil }
        return HostPolicy.Rate(count: count, per: per)
    }

    /// Fields that the fetcher itself sets.
    private static let ownFields = [
        "user-agent", "host", "connection", "content-length", "transfer-encoding", "range",
        "if-none-match", "if-modified-since", "accept-encoding",
    ]

    private static func fields(
        _ node: SourceNode
    ) throws(ConfigurationError) -> [SourceDefinition.Field] {
        var fields: [SourceDefinition.Field] = []
        for (name, member) in try node.members() {
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
            if ownFields.contains(name.lowercased()) {
                throw member.error("can't be set; the service sets it itself.")
            }
            fields.append(try field(name, member))
        }
        return fields
    }

    private static func field(
        _ name: String, _ node: SourceNode
    ) throws(ConfigurationError) -> SourceDefinition.Field {
        guard node.isMapping else {
            let secretWords = ["auth", "cookie", "token", "key", "secret", "password"]
            guard !secretWords.contains(where: name.lowercased().contains) else {
                throw node.error(
                    "looks like a secret and must not stand in this file; write {env: VITRINE_…} or "
                        + "{file: …}.")
            }
            return .init(name: name, value: Secret(try visible(try node.text(), node)))
        }
        let members = try node.members(["env", "file", "prefix"])
        let prefix = try members["prefix"]?.text() ?? ""
        if let variable = members["env"], members["file"] == nil {
            let variableName = try variable.parsed("the name of a variable, VITRINE_…") { text in
                text.hasPrefix("VITRINE_") && text.count > 8 ? text : nil
            }
            return .init(name: name, variable: variableName, prefix: prefix)
        }
        guard let file = members["file"], members["env"] == nil else {
            throw node.error("needs a source of its value: either env or file.")
        }
        let path = try file.text("the path of a file")
        let bytes: [UInt8]
        do throws(LocalFileError) {
            bytes = try LocalFile.readRegular(path, limit: 64 << 10)
        } catch {
            throw file.error("can't be used: \(error)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
            .drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        guard !text.isEmpty else { throw file.error("is an empty file; write the secret into it.") }
        return .init(name: name, value: Secret(prefix + (try visible(String(text), file))))
    }

    /// Returns the text if a header field can carry it. The message doesn't show it.
    private static func visible(_ text: String, _ node: SourceNode) throws(ConfigurationError)
        -> String
    {
        guard text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
            throw node.error("has a value with characters that a request can't carry.")
        }
        return text
    }
}
