/// Answers the requests that no hit answers: the other part of the seam between the engine and the rest of
/// the service.
package protocol RequestResponder: Sendable {
    /// Answers a request, in a task of its own. That is canceled once the client is gone. Returns when the
    /// response is sent.
    func respond(_ request: IncomingRequest, _ work: RequestWork) async

    /// Logs a request that is refused before it is routed. Returns the response. Called on a thread of the
    /// engine, so it must not block.
    ///
    /// - Parameters:
    ///   - start: the first bytes of the request, or its method and its target.
    ///   - client: address of the other end; nil if it is unknown.
    func refuse(
        _ refusal: RequestRefusal, start: [UInt8], client: String?
    ) -> (head: ResponseHead, body: HeldBody)
}

/// A body in memory that is sent to one client, and what counts its bytes until they are sent or dropped.
package struct HeldBody: Sendable {
    package var bytes: [UInt8]
    /// Lives as long as the engine has the bytes. Nil if nothing counts them.
    package var hold: (any AnyObject & Sendable)?

    package init(_ bytes: [UInt8], _ hold: (any AnyObject & Sendable)? = nil) {
        self.bytes = bytes
        self.hold = hold
    }
}

/// A request that a responder answers.
package struct IncomingRequest: Sendable {
    package var head: RequestHead
    package var isVersion10: Bool
    /// Address of the other end; nil if it is unknown.
    package var client: String?
}
