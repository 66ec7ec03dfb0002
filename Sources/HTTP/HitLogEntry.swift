/// A served hit, for the access log.
package struct HitLogEntry: Sendable {
    package var isHead: Bool
    /// Without the query.
    package var path: String
    package var status: Int
    /// Bytes of the body that was sent.
    package var bytes: Int
    package var isStale: Bool
    /// Address of the other end; nil if it is unknown.
    package var client: String?
    package var requestID: String

    /// - Parameter bytes: begin with the request.
    package init(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        _ answer: HitLookup.Answer, _ id: RequestID, client: String?
    ) {
        requestID = id.text
        isHead = answer.isHead
        path = String(
            decoding: bytes[request.target].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        status = answer.status
        self.bytes = answer.bodySize
        isStale = answer.isStale
        self.client = client
    }
}
