/// A row of requests to a server whose caches are full.
struct ServeRow: Sendable {
    /// What is requested.
    enum Content: Sendable, Equatable {
        case hits, conditional, thumbnails, blobs, ranges, originals, sheets
        case document(String)
    }

    enum Pace: Sendable, Equatable {
        /// Each connection sends its next request when it has its response.
        case closed
        /// Requests a second at even distances.
        case open(Double)
        /// Half of what the slower one of this program and nginx can do.
        case half
    }

    var what: [String]
    var words: String
    var content: Content
    var pace = Pace.closed
    var order = LoadOrder.Kind.even
    var connections = 64
    /// Whether every request has a connection of its own.
    var closes = false
    /// Whether memory holds only a tenth of what is requested.
    var isFromDisk = false
    var note: String?

    /// Whether bytes a second are shown.
    var showsTransfer: Bool { content == .originals || content == .sheets }
    /// Whether only nginx is measured beside it, and not programs that cache in front of files.
    var isForFiles: Bool { ![.hits, .conditional].contains(content) || pace == .half }

    /// - Parameter rates: requests a second of the rows with a given rate.
    static func all(rates: [Double]) -> [ServeRow] {
        let zipf = LoadOrder.Kind.zipf(exponent: 1)
        var rows = [
            ServeRow(["hit", "keep-alive"], "thumbnails from memory", .hits),
            ServeRow(
                ["304", "keep-alive"], "304 for thumbnails that the client has", .conditional),
            ServeRow(["hit", "connection-each"], "thumbnails, a connection each", .hits),
            ServeRow(
                ["hit", "rate=half"], "thumbnails at half of the slower server's rate", .hits,
                pace: .half, note: "Half of what the slower server can do."),
            ServeRow(["disk", "zipf=1"], "thumbnails from files, popular ones more", .thumbnails),
            ServeRow(["disk", "even"], "thumbnails from files, all alike", .thumbnails),
            ServeRow(["blob", "keep-alive"], "thumbnails by their digests", .blobs),
            ServeRow(
                ["blob", "range"], "ranges of thumbnails and originals", .ranges,
                note: "8,000 bytes of each."),
            ServeRow(["original", "keep-alive"], "originals", .originals, connections: 8),
            ServeRow(
                ["sheet", "keep-alive"], "contact sheets of 240 shows", .sheets, connections: 8),
        ]
        rows[2].closes = true
        rows[4].order = zipf
        let documents = [
            "page": "a catalog page of 240 shows", "item": "an item",
            "gallery": "the gallery's page",
            "description": "the OpenAPI description", "metrics": "the metrics",
        ]
        rows += ServedDocument.all.map { document in
            ServeRow(
                ["document", document.name], documents[document.name] ?? document.name,
                .document(document.name))
        }
        for rate in rates {
            let text = BenchText.number(rate)
            rows.append(
                ServeRow(
                    ["hit", "rate=\(Int(rate))"], "thumbnails, \(text) a second", .hits,
                    pace: .open(rate)))
            rows.append(
                ServeRow(
                    ["disk", "rate=\(Int(rate))"], "thumbnails from files, \(text) a second",
                    .thumbnails, pace: .open(rate)))
            rows[rows.count - 1].order = zipf
        }
        for place in rows.indices where rows[place].content == .thumbnails {
            rows[place].isFromDisk = true
            rows[place].note = "Every level of every picture; cache.memory holds a tenth."
        }
        return rows
    }

    private init(
        _ what: [String], _ words: String, _ content: Content, pace: Pace = .closed,
        connections: Int = 64,
        note: String? = nil
    ) {
        self.what = what
        self.words = words
        self.content = content
        self.pace = pace
        self.connections = connections
        self.note = note
    }
}

/// A row of load that h2load makes, over TLS.
struct SecureRow: Sendable {
    var what: [String]
    var words: String
    var arguments: [String]
    /// Whether it runs for a time, and not for a number of requests.
    var isTimed = true
    /// Connections that stay, nearly idle, so that their memory is measured; nil otherwise.
    var idle: Int?

    static let all = [
        SecureRow(
            what: ["hit", "tls"], words: "thumbnails over TLS with HTTP/1.1",
            arguments: ["--h1", "--clients", "64", "--max-concurrent-streams", "1"]),
        SecureRow(
            what: ["hit", "http2"], words: "thumbnails over HTTP/2",
            arguments: ["--clients", "8", "--max-concurrent-streams", "16"]),
        SecureRow(
            what: ["handshakes", "tls"], words: "TLS handshakes, a thumbnail each",
            arguments: ["--h1", "--clients", "500", "--requests", "500"], isTimed: false),
        SecureRow(
            what: ["idle", "tls", "connections=1000"], words: "a thousand idle TLS connections",
            arguments: ["--h1", "--clients", "1000", "--rps", "0.2"], idle: 1_000),
    ]
}
