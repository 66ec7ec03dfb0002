import Memory

/// One request with its attempts and redirects.
struct RequestRun: Sendable {
    /// The result of one attempt: the whole chain of redirects from the first URL.
    struct Attempt: Sendable {
        enum End: Sendable {
            case answered(TransferResult.Response, by: Target)
            case failed(TransferFailure, host: String)
            /// A redirect that must not be followed. Final.
            case refused(FetchError)
        }

        var end: End
        /// Timings of the last hop, with the sum of all queue times.
        var timings: FetchTimings
        /// Duration of the transfers, without queues.
        var elapsed: Duration
        /// The body's reservation.
        var hold: ByteBudget.Hold?
    }

    private let request: FetchRequest
    private let headers: RequestHeaders
    private let first: Target
    var addresses: AddressPolicy
    private let maxRedirects: Int
    private let followsRedirects: Bool

    /// Checks everything that doesn't need the network.
    init(_ request: FetchRequest, _ configuration: FetchConfiguration) throws(FetchError) {
        self.request = request
        headers = try RequestHeaders(request)
        var addresses = configuration.addresses
        addresses.plainIsInside = request.plainIsInside
        self.addresses = addresses
        followsRedirects = configuration.reach == .origins
        maxRedirects = min(request.maxRedirects ?? .max, configuration.maxRedirects)
        first = try Target(
            CurlURL.parts(of: request.url), allowedHosts: request.allowedHosts,
            addresses: addresses)
    }

    /// - Parameter limit: of the duration of its transfers, without queues.
    func attempt(over thread: TransferThread, within limit: Duration) async -> Attempt {
        var transfer = Transfer(
            target: first, method: request.method, headers: headers.lines(keepingSecrets: true),
            body: request.method.hasBody ? request.body ?? [] : nil, maxBytes: maxBytes,
            acceptsCompression: request.purpose == .api, timeout: limit,
            addresses: addresses, permit: request.permit, urgency: request.urgency,
            client: Requester.address)
        var timings = FetchTimings()
        var elapsed = Duration.zero
        var redirects = 0
        var room: Int? = Self.firstRoom
        var shortages = 0
        while true {
            // It waits for its host again and is not in progress meanwhile.
            request.permit?.giveBack()
            if let bytes = room, let budget = request.budget {
                do throws(CancellationError) {
                    transfer.hold = try await budget.reserve(min(bytes, maxBytes))
                } catch {
                    return Attempt(
                        end: .failed(.canceled, host: transfer.target.host), timings: timings,
                        elapsed: elapsed)
                }
                room = nil
            }
            let result = await thread.run(transfer)
            let queued = timings.queued + result.timings.queued
            timings = result.timings
            timings.queued = queued
            elapsed += result.elapsed
            if result.isOfUsedConnection, !transfer.needsNewConnection, transfer.method.isIdempotent
            {
                transfer.needsNewConnection = true
                transfer.timeout = limit - elapsed
                continue
            }
            let end: Attempt.End
            switch result.outcome {
            case .failure(let failure):
                end = .failed(failure, host: transfer.target.host)
            case .success(let answer):
                if let lacking = answer.lacking {
                    // It holds no reservation while it waits, so that two requests don't wait for
                    // each other. The second time it reserves the limit, so that an origin can't
                    // repeat this.
                    shortages += 1
                    room = shortages == 1 ? lacking : maxBytes
                    transfer.hold = nil
                    transfer.timeout = limit - elapsed
                    continue
                }
                do throws(FetchError) {
                    if let next = try follow(answer, of: transfer) {
                        redirects += 1
                        guard redirects <= maxRedirects else {
                            throw .tooManyRedirects(limit: maxRedirects)
                        }
                        transfer = next
                        transfer.timeout = limit - elapsed
                        continue
                    }
                    end = .answered(answer, by: transfer.target)
                } catch {
                    end = .refused(error)
                }
            }
            return Attempt(
                end: end, timings: timings, elapsed: elapsed, hold: transfer.hold)
        }
    }

    /// A body can't exceed the budget.
    private var maxBytes: Int {
        request.budget.map { min(request.maxBytes, $0.largest) } ?? request.maxBytes
    }

    /// Reserved before the head arrives. Most covers fit, and many heads may be pending.
    private static let firstRoom = 256 << 10

    /// Returns the next transfer of the chain; nil if this response is the last.
    private func follow(
        _ answer: TransferResult.Response, of transfer: Transfer
    ) throws(FetchError) -> Transfer? {
        guard followsRedirects, RedirectPolicy.isRedirect(answer.status),
            let location = ResponseHead(answer.head).first("location"), !location.isEmpty
        else { return nil }
        let target = try Target(
            CurlURL.parts(of: location, relativeTo: transfer.target.url),
            allowedHosts: request.allowedHosts, addresses: addresses)
        let sameOrigin = target.isSameOrigin(as: transfer.target)
        guard
            let hop = RedirectPolicy.hop(
                status: answer.status, method: transfer.method, sameOrigin: sameOrigin)
        else {
            throw .protocolError(
                host: transfer.target.host,
                reason: "it redirects a \(transfer.method.rawValue) to another origin, "
                    + target.host, attempts: [])
        }
        var next = transfer
        next.target = target
        next.needsNewConnection = false
        next.method = hop.method
        if !hop.keepsBody { next.body = nil }
        if !hop.keepsSecrets { next.headers = headers.lines(keepingSecrets: false) }
        return next
    }
}

extension FetchRequest.Method {
    /// Whether the request may be sent again although its host may have received it (RFC 9110, section 9.2.2).
    var isIdempotent: Bool { self != .post }

    /// Whether its requests have a body.
    var hasBody: Bool {
        switch self {
        case .post, .put: true
        case .get, .head, .delete, .purge, .ban: false
        }
    }
}
