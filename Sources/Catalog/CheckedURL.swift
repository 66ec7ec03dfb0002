package import Fetch

/// A URL from a source's response that is safe to use: https, no user-info, no unusual port, a
/// known host.
///
/// Older records of a source may say `http:` where newer ones say `https:` for the same picture. An
/// http URL is therefore upgraded, so that one picture keeps one key. Hosts that an operator's description names
/// with http:// stay as they are.
package struct CheckedURL: Sendable, Hashable {
    /// The URL in its normal form (``NormalURL``) with its fragment, over https, without an explicit default
    /// port.
    package let text: String
    /// The host name in lower case, without a port.
    package let host: String

    /// Why a URL is not safe to use.
    package enum Refusal: Error, Equatable {
        case notURL(NormalURL.Refusal)
        case userInfo
        case port
        case otherHost(String)

        /// The end of a sentence about the URL.
        func phrase(_ hosts: [HostPattern]) -> String {
            switch self {
            case .notURL(let refusal): refusal.phrase
            case .userInfo: "has user information before its host"
            case .port: "has a port, which only an address with http:// may have"
            case .otherHost(let host):
                "is on \(host), which is not one of the hosts "
                    + hosts.map(\.description).joined(separator: ", ")
            }
        }
    }

    /// Returns `nil` if the URL is not absolute http(s), or if its host is not among `hosts`.
    ///
    /// - Parameter plain: hosts whose http URLs stay http, in lower case, with their port if it is not 80.
    package init?(_ given: String, hosts: [HostPattern], plain: Set<String> = []) {
        guard let checked = try? Self(checking: given, hosts: hosts, plain: plain) else {
            return nil
        }
        self = checked
    }

    /// - Parameters:
    ///   - plain: hosts whose http URLs stay http, in lower case, with their port if it is not 80.
    ///   - isTemplate: whether braces are places for values, and stay.
    package init(
        checking given: String, hosts: [HostPattern], plain: Set<String> = [],
        isTemplate: Bool = false
    ) throws(Refusal) {
        let url: NormalURL
        do throws(NormalURL.Refusal) {
            url = try NormalURL(given, isTemplate: isTemplate)
        } catch {
            throw .notURL(error)
        }
        let defaultPort = url.scheme == "https" ? ":443" : ":80"
        var place = url.authority
        if place.hasSuffix(defaultPort) { place.removeLast(defaultPort.count) }
        let isPlain = url.scheme == "http" && plain.contains(place)
        let host = isPlain ? String(place.prefix { $0 != ":" }) : place
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else {
            throw host.contains("@") ? .userInfo : host.contains(":") ? .port : .otherHost(host)
        }
        guard hosts.contains(where: { $0.matches(host) }) else { throw .otherHost(host) }
        self.host = host
        text = "\(isPlain ? "http" : "https")://\(place)\(url.target)\(url.fragment)"
    }

    /// Returns the URL with `query` joined to its own. The URL of an API call has no fragment.
    package func text(adding query: String?) -> String {
        guard let query else { return text }
        return text + (text.contains("?") ? "&" : "?") + query
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
