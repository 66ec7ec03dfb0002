/// Names of hosts as people write them.
package enum HostName {
    /// Returns the ASCII form of a host name that has other letters, as browsers send it:
    /// `bücher.example` is `xn--bcher-kva.example`. Returns nil if it has none.
    ///
    /// Source: UTS #46, by libcurl, which also reads the name of each transfer.
    package static func ascii(_ name: String) -> String? {
        // Only a text that is a name, and nothing more, has this URL.
        guard let parts = try? CurlURL.parts(of: "http://\(name)/"),
            parts.url == "http://\(parts.host)/", !parts.host.isEmpty
        else { return nil }
        return parts.host.lowercased()
    }
}
