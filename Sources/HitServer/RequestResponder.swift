/// Answers the requests that no hit answers: the other part of the seam between the engine and the rest of
/// the service.
package protocol RequestResponder: Sendable {
    /// Answers a request, in a task of its own. That is canceled once the client is gone. Returns when the
    /// response is sent.
    func respond(_ request: IncomingRequest, _ work: RequestWork) async

    /// Logs a request that is refused before it is routed. Returns the whole response. Called on a thread of
    /// the engine, so it must not block.
    ///
    /// - Parameters:
    ///   - start: the first bytes of the request.
    ///   - client: address of the other end; nil if it is unknown.
    ///   - closes: whether the connection closes after the response.
    func refuse(
        _ refusal: RequestRefusal, start: [UInt8], client: String?, closes: Bool
    ) -> [UInt8]
}

/// The head of a request that a responder answers. It was read strictly (``RequestScan``).
package struct IncomingRequest: Sendable {
    /// From the request line to the empty line.
    package var head: [UInt8]
    package var isVersion10: Bool
    /// Address of the other end; nil if it is unknown.
    package var client: String?
}

/// The body of a request.
package enum RequestBody: Sendable {
    case whole([UInt8])
    case tooLong
    /// The body is incomplete or its framing is broken.
    case broken
}
