/// Classifies the next bytes of a connection. Pure; allocates nothing.
///
/// Heads are read strictly (RFC 9112): one that two readers could take differently is refused. A proxy in
/// front therefore sees the same requests.
package enum RequestScan: Equatable {
    /// The head has not arrived completely.
    case incomplete
    /// GET or HEAD of a possible hit, without anything that needs a responder.
    case plain(PlainRequest)
    /// Any other request, for a responder.
    case framed(Framing)
    /// Unreadable, or framed in a way that is not supported. Its connection closes.
    case refused(RequestScan.Fault)

    /// Where a request ends, counted from its first byte.
    package struct Framing: Equatable {
        package var headLength: Int
        package var body = RequestScan.BodyFraming.none
        /// Whether the connection closes after its response.
        package var closes: Bool
        /// Whether its client waits for a 100 response before it sends the body.
        package var expects = false
        package var isVersion10 = false

        package init(
            headLength: Int, body: RequestScan.BodyFraming = .none, closes: Bool,
            expects: Bool = false, isVersion10: Bool = false
        ) {
            self.headLength = headLength
            self.body = body
            self.closes = closes
            self.expects = expects
            self.isVersion10 = isVersion10
        }
    }

    /// Ranges count from the first byte of the request.
    package struct PlainRequest: Equatable {
        package var framing: Framing
        package var isHead: Bool
        package var target: Range<Int>
        package var accept: Range<Int>?
        package var entityTag: Range<Int>?
        package var modifiedSince: Range<Int>?
        package var range: Range<Int>?
        package var ifRange: Range<Int>?
        package var requestID: Range<Int>?

        // Only documents depend on the rest.

        package var host: Range<Int>?
        package var acceptEncoding: Range<Int>?
        package var acceptLanguage: Range<Int>?
        package var origin: Range<Int>?
        package var fetchSite: Range<Int>?
        package var forwardedHost: Range<Int>?
        /// Whether the request names the page that it comes from.
        package var isReferred = false
        /// Whether the request came through a proxy.
        package var isForwarded = false
        /// Whether a field that only documents depend on is there twice.
        package var isAmbiguous = false
    }
}

extension RequestScan {
    /// How the end of a request's body is found.
    package enum BodyFraming: Equatable {
        case none
        case length(Int)
        case chunked
    }

    /// Why a head is refused.
    package enum Fault: Error, Equatable {
        case lineEnd, requestLine, fieldName, foldedField, fieldValue, contentLength,
            transferEncoding
        /// A transfer coding other than `chunked`.
        case unknownCoding
        /// A version of HTTP other than 1.0 and 1.1.
        case unknownVersion
    }
}
