import HTTPTypes

/// A body whose pieces come in the course of time.
struct EventBody: Sendable {
    /// Returns the pieces from now on. Called once.
    let pieces: @Sendable () -> AsyncStream<[UInt8]>
    /// Ends the body: a comment, which clients of server-sent events ignore.
    static let end = Array(":\n\n".utf8)

    init(_ pieces: @escaping @Sendable () -> AsyncStream<[UInt8]>) { self.pieces = pieces }

    static let contentType = "text/event-stream"

    /// Returns an event with the bytes of a JSON document.
    static func event(_ name: String, _ document: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + document + Array("\n\n".utf8)
    }

    static func isWanted(by request: Request) -> Bool {
        request.fields[.accept]?.lowercased().contains(contentType) == true
    }
}
