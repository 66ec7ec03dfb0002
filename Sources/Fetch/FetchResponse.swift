package import Memory

/// The final response of an origin, and its attempts.
package struct FetchResponse: Sendable {
    package var status: Int
    /// Header fields of the final response in their order, names as sent. Each character of a value stands
    /// for a byte, as in Latin-1, so that a value can be sent back as it came.
    package var headers: [(name: String, value: String)]
    /// The whole body without content codings; empty for a 304, a redirect, and an error whose body is over
    /// the limit. Its length was checked against `Content-Length`.
    package var body: [UInt8]
    /// Bytes of the body as it was sent, with its content codings.
    package var received: Int
    /// The body's reservation in the request's budget. Keep it as long as the body.
    package var hold: ByteBudget.Hold?
    /// The URL that responded, after redirects.
    package var url: String
    /// Every attempt, the successful one last. Never empty once it was fetched.
    package var attempts: [FetchAttempt]
    /// Times of the last attempt.
    package var timings: FetchTimings

    package init(
        status: Int, headers: [(name: String, value: String)], body: [UInt8],
        received: Int? = nil, hold: ByteBudget.Hold? = nil, url: String, attempts: [FetchAttempt],
        timings: FetchTimings
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.received = received ?? body.count
        self.hold = hold
        self.url = url
        self.attempts = attempts
        self.timings = timings
    }

    /// Returns the first field of a name, ignoring case.
    package func header(_ name: String) -> String? { headers.values(of: name).first }

    /// Returns all fields of a name as one, separated by commas (RFC 9110, section 5.3); nil without any.
    package func list(_ name: String) -> String? {
        let values = headers.values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Whether the body is a whole representation. A 206 has one if its only range begins at the first byte and
    /// ends at the last (RFC 9110, section 14.4). Some servers answer so without having been asked for a range.
    package var hasWholeBody: Bool {
        switch status {
        case 200, 203: true
        case 206: headers.wholeRange == received
        default: false
        }
    }

    /// Whether only the end of the connection says that the body ends (RFC 9112, section 6.3), so that one that was
    /// cut off looks complete.
    package var endsWithConnection: Bool {
        let isFramed =
            header("content-length") != nil
            || list("transfer-encoding")?.lowercased().contains("chunked") == true
        return ["1.0", "1.1"].contains(timings.httpVersion) && !isFramed
    }

    /// `ETag` and `Last-Modified` of the response.
    package var validators: Validators {
        Validators(entityTag: header("etag"), lastModified: header("last-modified"))
    }
}

/// Times of one transfer, measured from its start (libcurl's `CURLINFO_*_TIME_T`).
package struct FetchTimings: Sendable {
    /// Time in the host's queue before the transfer started.
    package var queued: Duration = .zero
    package var startTransfer: Duration = .zero
    package var total: Duration = .zero
    package var reusedConnection = false
    /// `"1.1"`, `"2"`.
    package var httpVersion = ""

    package init() {}
}

extension [(name: String, value: String)] {
    /// Reads the `name: value` lines of a head and skips others.
    init(head: [UInt8]) {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
        self = head.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            var value = line[(colon + 1)...].drop(while: isBlank)
            while let last = value.last, isBlank(last) { value = value.dropLast() }
            return (String(decoding: line[..<colon], as: UTF8.self), String(fieldBytes: value))
        }
    }

    /// The bytes of a representation whose only range is the whole; nil if it isn't.
    var wholeRange: Int? {
        let values = Set(self.values(of: "content-range"))
        guard values.count == 1, let value = values.first else { return nil }
        let words = value.split { $0 == " " || $0 == "\t" }
        guard words.count == 2, words[0].lowercased() == "bytes",
            let total = words[1].split(separator: "/").last.flatMap({ Int($0) }), total > 0,
            words[1] == "0-\(total - 1)/\(total)"
        else { return nil }
        return total
    }

    /// Returns the values of all fields of a name, ignoring case.
    func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return lazy.filter { field in
            field.name.utf8.count == wanted.utf8.count && field.name.lowercased() == wanted
        }.map(\.value)
    }
}
