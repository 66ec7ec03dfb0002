import HTTPTypes
import HitServer
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The body of a request, read on demand.
///
/// A client that sent `Expect: 100-continue` (RFC 9110, section 10.1.1) gets its 100 response then.
/// One that gets its final response instead may or may not send the body, so the connection can't be
/// used any further.
final class RequestContent: Sendable {
    private let body: HummingbirdCore.RequestBody
    private let channel: any Channel
    private let declared: Int
    private let isAwaited: Bool
    private let isWanted = Atomic(false)

    init(_ request: HummingbirdCore.Request, _ channel: any Channel) {
        body = request.body
        self.channel = channel
        let fields = request.headers
        declared = fields[.contentLength].flatMap { Int($0) } ?? 0
        let expects = fields[.expect]?.lowercased() == "100-continue"
        isAwaited = expects && (declared > 0 || fields[.transferEncoding] != nil)
    }

    /// Whether the client got no 100 response and may or may not send the body.
    var isHeldBack: Bool { isAwaited && !isWanted.load(ordering: .relaxed) }

    /// Reads the body unless it declares more than `limit` bytes.
    func read(upTo limit: Int) async -> HitServer.RequestBody {
        guard declared <= limit else { return .tooLong }
        isWanted.store(true, ordering: .relaxed)
        do {
            if isAwaited {
                try await channel.writeAndFlush(
                    HTTPResponsePart.head(HTTPResponse(status: .continue)))
            }
            return .whole(Array(try await body.collect(upTo: limit).readableBytesView))
        } catch is NIOTooManyBytesError {
            return .tooLong
        } catch {
            return .broken
        }
    }
}
