package import Fetch
import Hashing
package import JSON

/// A text with values filled in: `https://cdn.example/{id}/large.jpg`, `{$.title} ({$.year})`.
///
/// A value in braces is a variable or a path into an answer. In a URL it is percent-encoded as one
/// segment; `{+$.path}` keeps slashes and the other reserved characters (RFC 6570).
package struct SourceTemplate: Sendable, Equatable {
    /// As written.
    package let text: String
    private let parts: [Part]

    private enum Part: Sendable, Equatable {
        case literal(String)
        case variable(String, keepsReserved: Bool)
        case path(JSONPath, keepsReserved: Bool)
    }

    /// What a template fills in.
    package struct Values {
        /// The answer that paths lead into.
        package var document: JSON
        package var variables: [String: String]

        package init(_ document: JSON = .null, _ variables: [String: String] = [:]) {
            self.document = document
            self.variables = variables
        }
    }

    /// The names in braces.
    package var variables: [String] {
        parts.compactMap { part in
            if case .variable(let name, _) = part { name } else { nil }
        }
    }

    var isURL: Bool { Self.schemes.contains(where: text.hasPrefix) }

    /// The host that it asks without TLS, in lower case, with its port if that is not 80; nil for https.
    package var plainHost: String? { Self.plainHost(of: text) }

    private static let schemes = ["https://", "http://"]

    private static func plainHost(of text: String) -> String? {
        guard text.hasPrefix(schemes[1]) else { return nil }
        let place = text.dropFirst(schemes[1].count).prefix { !"/?#".contains($0) }.lowercased()
        return place.hasSuffix(":80") ? String(place.dropLast(3)) : place
    }

    /// Whether it fills in values of an answer.
    package var readsAnswer: Bool {
        parts.contains { part in
            if case .path = part { true } else { false }
        }
    }

    /// Parses a template.
    ///
    /// - Parameter variables: The names that may stand in braces.
    /// - Throws: ``SourceSyntaxError`` with the column of what doesn't fit.
    package init(_ text: String, variables: [String]) throws(SourceSyntaxError) {
        let characters = Array(text)
        var parts: [Part] = []
        var literal = ""
        var position = 0
        while position < characters.count {
            guard characters[position] == "{" else {
                guard characters[position] != "}" else {
                    throw SourceSyntaxError(
                        reason: "“}” without “{” before it", column: position + 1)
                }
                literal.append(characters[position])
                position += 1
                continue
            }
            let begin = position
            position += 1
            let keepsReserved = position < characters.count && characters[position] == "+"
            if keepsReserved { position += 1 }
            let value: Part
            if position < characters.count, characters[position] == "$" {
                var parser = JSONPathParser(characters, at: position)
                let segments = try parser.prefix()
                let end = parser.position
                value = .path(
                    JSONPath(text: String(characters[position..<end]), segments: segments),
                    keepsReserved: keepsReserved)
                position = end
            } else {
                let name = String(characters[position...].prefix { $0 != "}" })
                guard variables.contains(name) else {
                    let known = variables.map { "{\($0)}" }.joined(separator: ", ")
                    throw SourceSyntaxError(
                        reason: "“{\(name.shortened)}” is not known here; known are \(known) and "
                            + "paths such as {$.name}",
                        column: begin + 1)
                }
                value = .variable(name, keepsReserved: keepsReserved)
                position += name.count
            }
            guard position < characters.count, characters[position] == "}" else {
                throw SourceSyntaxError(reason: "expected “}”", column: position + 1)
            }
            position += 1
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = ""
            parts.append(value)
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.text = text
        self.parts = parts
    }

    /// Parses the template of a URL whose host is literal and one of `hosts`. With http:// an address may have a
    /// port; a name may not, because the fetcher refuses it.
    package init(
        url text: String, variables: [String], hosts: [HostPattern]
    ) throws(SourceSyntaxError) {
        try self.init(text, variables: variables)
        guard let scheme = Self.schemes.first(where: text.hasPrefix) else {
            throw SourceSyntaxError(
                reason: "a URL begins with https://, or with http:// inside fetch.allowNetworks",
                column: 1)
        }
        let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        let column = scheme.count + 1
        guard !host.contains("{") else {
            throw SourceSyntaxError(
                reason: "the host is fixed; values may stand behind the first “/”", column: column)
        }
        let plainHost = Self.plainHost(of: text)
        if let plainHost, plainHost.contains(":"), !Self.isAddressWithPort(plainHost) {
            throw SourceSyntaxError(
                reason: "only an address has a port, such as 10.0.0.5:8080, from 1 to 65535",
                column: column)
        }
        guard CheckedURL(scheme + host, hosts: hosts, plain: plainHost.map { [$0] } ?? []) != nil
        else {
            // Without a password.
            let shown = host.lastIndex(of: "@").map { "***\(host[$0...])" } ?? String(host)
            throw SourceSyntaxError(
                reason: "the host “\(shown)” is not among the source's hosts", column: column)
        }
        guard text.dropFirst(scheme.count + host.count).hasPrefix("/") else {
            throw SourceSyntaxError(
                reason: "expected “/” after the host", column: column + host.count)
        }
        for (offset, character) in text.enumerated() {
            guard let byte = character.asciiValue, byte > 0x20, byte < 0x7F, character != "\\",
                character != "#"
            else {
                throw SourceSyntaxError(
                    reason: "“\(character)” can't stand in a URL; percent-encode it",
                    column: offset + 1)
            }
        }
    }

    private static func isAddressWithPort(_ host: String) -> Bool {
        let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]), port > 0 else { return false }
        return parts[0].split(separator: ".").compactMap { UInt8($0) }.count == 4
    }

    /// Returns the filled text, or the place of the first missing value.
    ///
    /// A variable without a value stays as it is. In a URL, values can't change the host and can't
    /// lead out of their directory.
    package func filled(with values: Values, isURL: Bool = false) -> Filled {
        var text = ""
        for part in parts {
            let (given, keepsReserved): (String, Bool)
            switch part {
            case .literal(let literal):
                text += literal
                continue
            case .variable(let name, let keeps):
                guard let known = values.variables[name] else {
                    text += "{\(name)}"
                    continue
                }
                (given, keepsReserved) = (known, keeps)
            case .path(let path, let keeps):
                guard
                    let found = path.values(in: values.document).lazy
                        .compactMap(\.plainText).first
                else { return .missing(path) }
                (given, keepsReserved) = (found, keeps)
            }
            if !isURL {
                text += given
            } else if keepsReserved {
                let isDoubled = text.hasSuffix("/") && given.hasPrefix("/")
                text += String(given.dropFirst(isDoubled ? 1 : 0)).percentEncodedKeepingReserved
            } else {
                text += given.percentEncoded
            }
        }
        return isURL && Self.leavesItsDirectory(text) ? .leavesDirectory(text) : .text(text)
    }

    package enum Filled: Equatable {
        case text(String)
        case missing(JSONPath)
        /// The path of the URL has a segment `.` or `..`.
        case leavesDirectory(String)
    }

    private static func leavesItsDirectory(_ url: String) -> Bool {
        url.prefix { $0 != "?" }.split(separator: "/").contains { segment in
            [".", ".."].contains(
                segment.lowercased().replacing("%2e", with: "."))
        }
    }
}

extension String {
    /// The text with all characters percent-encoded except RFC 3986's unreserved and reserved
    /// ones. What is percent-encoded already stays.
    fileprivate var percentEncodedKeepingReserved: String {
        PercentCoding.encoded(self, keeping: ":/?#[]@!$&'()*+,;=%")
    }
}
