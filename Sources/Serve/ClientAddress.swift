import Glibc
import HTTPTypes

extension HTTPFields {
    /// Whether a proxy says that it has passed the request on, by any field of the usual ones.
    var areForwarded: Bool {
        contains { field in
            let name = field.name.canonicalName
            return name.hasPrefix("x-forwarded-") || Self.ofProxies.contains(name)
        }
    }

    private static let ofProxies: Set = [
        "forwarded", "via", "cdn-loop", "x-real-ip", "x-client-ip", "x-cluster-client-ip",
        "x-original-host", "x-original-forwarded-for", "true-client-ip", "cf-connecting-ip",
        "fastly-client-ip", "fly-client-ip", "x-envoy-external-address", "x-azure-clientip",
    ]
}

/// Identifies clients, so that they take turns in queues. Pure.
enum ClientAddress {
    /// Returns the client's IPv4 address or its IPv6 network of 64 bits, which one client has for
    /// itself. Returns nil for this machine and for proxies, which many clients share.
    static func of(_ address: String?, _ fields: HTTPFields) -> String? {
        fields.areForwarded ? nil : address.flatMap(of)
    }

    private static func of(_ text: String) -> String? {
        if text.contains(":") { return bytes(text, AF_INET6, count: 16).flatMap(of(v6:)) }
        return bytes(text, AF_INET, count: 4).flatMap(of(v4:))
    }

    private static func bytes(_ text: String, _ family: CInt, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func of(v4 bytes: [UInt8]) -> String? {
        bytes[0] == 127 ? nil : bytes.map { "\($0)" }.joined(separator: ".")
    }

    private static func of(v6 bytes: [UInt8]) -> String? {
        // ::ffff:192.0.2.1, as sockets for both families report it.
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return of(v4: Array(bytes[12...]))
        }
        if bytes[..<15].allSatisfy({ $0 == 0 }), bytes[15] == 1 { return nil }
        let groups = stride(from: 0, to: 8, by: 2).map {
            String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}
