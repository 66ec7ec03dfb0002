import Fetch

extension ValueSyntax where Value == String {
    /// libcurl's `CURLOPT_CONNECT_TO`. An empty part means "any" on the left and "the same" on the
    /// right.
    static var hostMapping: Self { .text("HOST:PORT:HOST:PORT", where: isHostMapping) }

    /// A proxy of a kind that libcurl knows.
    static var proxyURL: Self {
        .text("a URL such as http://proxy.example:3128", where: isProxyURL)
    }

    private static func isHostMapping(_ text: String) -> Bool {
        var parts: [Substring] = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "[" {
                // An IPv6 address holds colons of its own.
                guard let end = rest.firstIndex(of: "]") else { return false }
                parts[parts.count - 1] += rest[..<end]
                rest = rest[rest.index(after: end)...]
            } else if character == ":" {
                parts.append("")
            } else if character.isWhitespace {
                return false
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        guard parts.count == 4 else { return false }
        return [parts[1], parts[3]].allSatisfy { port in
            port.isEmpty || UInt16(port).map { $0 > 0 } ?? false
        }
    }

    private static func isProxyURL(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://") else { return false }
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        return schemes.contains(text[..<separator.lowerBound].lowercased())
            && separator.upperBound < text.endIndex && !text.contains(where: \.isWhitespace)
    }
}

extension ValueSyntax where Value == Network {
    static var network: Self {
        Self(
            expected: "a network such as 10.0.0.0/8 or fd00::/8",
            parse: { Network($0) }, print: { $0.description })
    }
}

extension ValueSyntax where Value == HostPattern {
    static var hostPattern: Self {
        Self(
            expected: "a host name such as img.example.org or *.example.org",
            parse: { $0.isEmpty || $0.contains("/") ? nil : HostPattern($0) },
            print: { $0.description })
    }
}
