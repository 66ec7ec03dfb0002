import HTTPTypes

/// A body whose pieces come in the course of time.
struct EventBody: Sendable {
    /// Returns the pieces from now on. Called once.
    let pieces: @Sendable () -> AsyncStream<[UInt8]>
    /// Ends the body: a comment, which clients of server-sent events ignore.
    static let end = Array(":\n\n".utf8)

    init(_ pieces: @escaping @Sendable () -> AsyncStream<[UInt8]>) { self.pieces = pieces }

    static let contentType = "text/event-stream"

    static func isWanted(by request: Request) -> Bool {
        request.fields[.accept]?.lowercased().contains(contentType) == true
    }
}
