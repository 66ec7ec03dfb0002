/// The field lines of a request, checked before they are sent.
struct RequestHeaders: Sendable {
    private let fields: [(name: String, value: [UInt8])]

    /// Rejects fields that could end a line or that the transfer itself sets.
    init(_ request: FetchRequest) throws(FetchError.Cause) {
        var fields = request.headers.map { (name: $0.name, value: Array($0.value.utf8)) }
        if let tag = request.validators?.entityTag {
            fields.append(("If-None-Match", tag.fieldBytes))
        }
        if let date = request.validators?.lastModified {
            fields.append(("If-Modified-Since", date.fieldBytes))
        }
        for (name, value) in fields {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
                throw .configuration(reason: "a request header has a name that HTTP doesn't allow")
            }
            guard !Self.framing.contains(name.lowercased()) else {
                throw .configuration(reason: "the request header \(name) is the fetcher's own")
            }
            guard !value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else {
                throw .configuration(
                    reason: "the value of the request header \(name) holds control characters")
            }
        }
        self.fields = fields
    }

    /// Returns the bytes of lines for libcurl, which expects `Name;` for a field with an empty value.
    func lines(keepingSecrets: Bool) -> [[UInt8]] {
        fields.filter { keepingSecrets || RedirectPolicy.isPublic(field: $0.name) }
            .map { Array("\($0.name)\($0.value.isEmpty ? ";" : ": ")".utf8) + $0.value }
    }

    /// Fields that decide where a message ends or which host it is for.
    private static let framing: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns whether RFC 9110, section 5.6.2, allows the byte in a token.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
