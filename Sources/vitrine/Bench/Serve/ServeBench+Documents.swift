import App
import Serve

/// Rows of documents.
extension ServeBench {
    /// With the effort that the service compresses each with; nil where it doesn't.
    private static let documents: [(name: String, path: String, effort: ContentCoding.Effort?)] = [
        ("page", "/v1/tvmaze/shows?page=0", .quick), ("item", "/v1/tvmaze/show/1", .quick),
        ("gallery", "/", .thorough), ("description", "/openapi.json", .thorough),
        ("metrics", "/metrics", nil),
    ]

    func documents(of server: ServerProcess) async throws -> [ServedDocument] {
        let seen = try await ServedPictures.collect(
            Self.documents.map(\.path), port: server.port, concurrency: 1)
        return zip(Self.documents, seen).map { document, seen in
            let short = document.effort.flatMap { ContentCoding.gzip.encoded(seen.body, $0) }
            return ServedDocument(
                name: document.name, path: document.path, body: short ?? seen.body,
                isCompressed: short != nil)
        }
    }

    /// - Parameter documents: as this program serves them. A peer has the same bytes as files.
    func documentCases(_ target: Target, _ documents: [ServedDocument]) -> [any BenchCase] {
        documents.map { document in
            let isOwn = target.version == nil
            var request = LoadRequest.get(
                isOwn ? document.path : document.filePath, fields: Self.acceptsGzip)
            // What this program says changes meanwhile.
            if !isOwn { (request.body, request.length) = (document.body, document.body.count) }
            return loadCase(
                target, ["document", document.name], [request],
                "\(document.body.count) bytes"
                    + (document.isCompressed ? " of gzip." : ".")
                    + (isOwn ? "" : " As a file, which is never made."))
        }
    }

    static let acceptsGzip = [("Accept-Encoding", "gzip")]
}
