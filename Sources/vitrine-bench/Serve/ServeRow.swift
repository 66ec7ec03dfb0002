/// A row of requests to a server whose caches are full. All of them are in ``all(rates:)``.
struct ServeRow: Sendable {
    /// What is requested.
    enum Content: Sendable, Equatable {
        case hits, conditional, thumbnails, blobs, ranges, originals, sheets
        case document(String)
    }

    /// The server that answers.
    enum Server: Sendable, CaseIterable {
        case memory
        /// Memory holds only a tenth of what is requested.
        case disk
        case tls
    }

    var what: [String]
    /// What is measured, for people.
    var words: String
    var content = Content.hits
    var server = Server.memory
    var pace = Pace.closed
    /// Whether the pace is half of what the slowest of this program and its peers can do.
    var isHalf = false
    var order = LoadOrder.Kind.even
    var connections = 64
    /// Whether every request has a connection of its own.
    var closes = false
    /// Whether the connections hardly request anything, so that their memory is measured.
    var isIdle = false
    /// Arguments of h2load, which makes the load over TLS.
    var h2load: [String] = []
    var note: String?

    /// Whether bytes a second are shown.
    var showsTransfer: Bool { content == .originals || content == .sheets }

    /// - Parameter rates: requests a second of the rows with a given rate.
    static func all(rates: [Double]) -> [ServeRow] {
        let disk = "Every level of every picture; cache.memory holds a tenth."
        let rows = [
            ServeRow(what: ["hit", "keep-alive"], words: "thumbnails from memory"),
            ServeRow(
                what: ["304", "keep-alive"], words: "304 for thumbnails that the client has",
                content: .conditional),
            ServeRow(
                what: ["hit", "connection-each"], words: "thumbnails, a connection each",
                closes: true),
            ServeRow(
                what: ["hit", "tls"], words: "thumbnails over TLS with HTTP/1.1", server: .tls,
                h2load: ["--h1", "--clients", "64", "--max-concurrent-streams", "1"]),
            ServeRow(
                what: ["hit", "http2"], words: "thumbnails over HTTP/2", server: .tls,
                h2load: ["--clients", "8", "--max-concurrent-streams", "16"]),
            ServeRow(
                what: ["handshakes", "tls"], words: "TLS handshakes, a thumbnail each",
                server: .tls, h2load: ["--h1", "--clients", "500", "--requests", "500"]),
            ServeRow(
                what: ["disk", "zipf=1"], words: "thumbnails from files, popular ones more",
                content: .thumbnails, server: .disk, order: .zipf, note: disk),
            ServeRow(
                what: ["disk", "even"], words: "thumbnails from files, all alike",
                content: .thumbnails, server: .disk, note: disk),
            ServeRow(
                what: ["blob", "keep-alive"], words: "thumbnails by their digests",
                content: .blobs),
            ServeRow(
                what: ["blob", "range"], words: "ranges of thumbnails and originals",
                content: .ranges, note: "8,000 bytes of each."),
            ServeRow(
                what: ["original", "keep-alive"], words: "originals", content: .originals,
                connections: 8),
            ServeRow(
                what: ["sheet", "keep-alive"], words: "contact sheets of 240 shows",
                content: .sheets, connections: 8),
            ServeRow(
                what: ["hit", "rate=half"], words: "thumbnails at half of the slowest rate",
                isHalf: true, note: "Half of what the slowest server can do."),
            ServeRow(
                what: ["idle", "connections=1000"], words: "a thousand idle connections",
                pace: .open(perSecond: 500), connections: 1_000, isIdle: true),
            ServeRow(
                what: ["idle", "tls", "connections=1000"],
                words: "a thousand idle TLS connections", server: .tls, connections: 1_000,
                isIdle: true, h2load: ["--h1", "--rps", "0.2"]),
        ]
        let documents = ServedDocument.all.map { document in
            ServeRow(
                what: ["document", document.name], words: document.words,
                content: .document(document.name))
        }
        let paced = rates.flatMap { rate in
            let text = BenchText.number(rate)
            return [
                ServeRow(
                    what: ["hit", "rate=\(Int(rate))"], words: "thumbnails, \(text) a second",
                    pace: .open(perSecond: rate)),
                ServeRow(
                    what: ["disk", "rate=\(Int(rate))"],
                    words: "thumbnails from files, \(text) a second", content: .thumbnails,
                    server: .disk, pace: .open(perSecond: rate), order: .zipf, note: disk),
            ]
        }
        return rows + documents + paced
    }
}
