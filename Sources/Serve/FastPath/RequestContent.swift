import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The body of a request, read when somebody wants it.
///
/// A client that waits to be told to send it (`Expect: 100-continue`, RFC 9110, section 10.1.1) is
/// told then. One that gets its answer instead may keep the body back, and what comes after it on the
/// connection is not certain any more.
final class RequestContent: Sendable {
    private let body: HummingbirdCore.RequestBody
    private let channel: any Channel
    private let declared: Int
    private let isAwaited: Bool
    private let isWanted = Atomic(false)

    init(_ request: Request, _ channel: any Channel) {
        body = request.body
        self.channel = channel
        let fields = request.headers
        declared = fields[.contentLength].flatMap { Int($0) } ?? 0
        let expects = fields[.expect]?.lowercased() == "100-continue"
        isAwaited = expects && (declared > 0 || fields[.transferEncoding] != nil)
    }

    /// Whether the client was not told to send it, and so may or may not.
    var isHeldBack: Bool { isAwaited && !isWanted.load(ordering: .relaxed) }

    /// One that says it is longer than `limit` is not begun.
    func read(upTo limit: Int) async -> RequestBody {
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
