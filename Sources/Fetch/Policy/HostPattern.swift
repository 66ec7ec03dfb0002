/// A host name; `*.` and a name for every host below it; or `*` for every host. Case and a final
/// dot don't matter.
package struct HostPattern: Sendable, Hashable, Codable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        var lowered = text.lowercased()
        if lowered.hasSuffix(".") { lowered.removeLast() }
        description = lowered
    }

    package func matches(_ host: String) -> Bool {
        var host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if description == "*" { return true }
        if description.hasPrefix("*.") { return host.hasSuffix(description.dropFirst()) }
        return host == description
    }
}
