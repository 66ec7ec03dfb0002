import Glibc

extension FetchConfiguration {
    /// Finds mistakes at startup that would otherwise fail every transfer.
    func check() throws(FetchError) {
        if let problem = CurlLibrary.problem {
            throw .configuration(reason: problem)
        }
        for entry in connectTo where !Self.isConnectTo(entry) {
            throw .configuration(reason: "\"\(entry)\" is not HOST:PORT:HOST:PORT")
        }
        if let caFile, access(caFile, R_OK) != 0 {
            throw .configuration(
                reason: "the CA file \(caFile) can't be read (\(String(cString: strerror(errno))))")
        }
        if let proxy {
            let schemes = [
                "http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://",
            ]
            guard schemes.contains(where: { proxy.lowercased().hasPrefix($0) }) else {
                // The proxy isn't shown because it may contain a password.
                throw .configuration(
                    reason: "the proxy is no URL with one of the schemes http, https, socks4, "
                        + "socks4a, socks5 and socks5h")
            }
        }
        guard !userAgent.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw .configuration(reason: "the user agent holds control characters")
        }
    }

    /// Checks for four fields, IPv6 in brackets. libcurl reads an empty field as "any" or
    /// "unchanged".
    static func isConnectTo(_ entry: String) -> Bool {
        let place = #/(?<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:\s]*):[0-9]{0,5}/#
        guard let from = entry.prefixMatch(of: place) else { return false }
        let rest = entry[from.range.upperBound...]
        return rest.first == ":" && rest.dropFirst().wholeMatch(of: place) != nil
    }
}
