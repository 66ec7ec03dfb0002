import Memory

/// One request with its attempts and redirects.
struct RequestRun: Sendable {
    /// The result of one attempt: the whole chain of redirects from the first URL.
    struct Attempt: Sendable {
        var end: Result<FetchResponse, FetchError.Cause>
        /// The target of its last transfer.
        var target: Target
        /// Timings of the last hop, with the sum of all queue times.
        var timings = FetchTimings()
        /// Duration of the transfers, without queues.
        var elapsed = Duration.zero
        /// See ``TransferResult/retryAfter``.
        var retryAfter: Duration?

        var response: FetchResponse? {
            if case .success(let response) = end { response } else { nil }
        }
        var cause: FetchError.Cause? {
            if case .failure(let cause) = end { cause } else { nil }
        }
    }

    /// Its limit of bytes is at most the budget's.
    private let request: FetchRequest
    private let headers: RequestHeaders
    private let first: Target
    private let addresses: AddressPolicy
    private let maxRedirects: Int
    private let followsRedirects: Bool

    /// Reserved before the head arrives. Most covers fit, and many heads may be pending.
    private static let firstRoom = 256 << 10

    /// Checks everything that doesn't need the network.
    init(
        _ request: FetchRequest, _ configuration: FetchConfiguration
    ) throws(FetchError.Cause) {
        headers = try RequestHeaders(request)
        addresses = AddressPolicy(
            allowed: configuration.allowedNetworks, isOpen: configuration.reach == .endpoints,
            plainIsInside: request.plainIsInside)
        followsRedirects = configuration.reach == .origins
        maxRedirects = min(request.maxRedirects ?? .max, configuration.maxRedirects)
        first = try Target(
            CurlURL.parts(of: request.url), allowedHosts: request.allowedHosts,
            addresses: addresses)
        var request = request
        request.maxBytes =
            request.budget.map { min(request.maxBytes, $0.largest) } ?? request.maxBytes
        self.request = request
    }

    /// - Parameter limit: of the duration of its transfers, without queues.
    func attempt(over thread: TransferThread, within limit: Duration) async -> Attempt {
        var transfer = Transfer(
            request: request, target: first, headers: headers.lines(keepingSecrets: true),
            timeout: limit, addresses: addresses, client: Requester.address)
        transfer.room = request.budget.map { BodyRoom($0, min(Self.firstRoom, request.maxBytes)) }
        var attempt = Attempt(end: .failure(.canceled), target: first)
        var redirects = 0
        // More than the first room, once a body needs it.
        var room: Int?
        var shortages = 0
        while true {
            // It waits for its host again and is not in progress meanwhile.
            request.permit?.giveBack()
            if let bytes = room, let budget = request.budget {
                do throws(CancellationError) {
                    transfer.room = try await .reserved(budget, min(bytes, request.maxBytes))
                } catch {
                    return attempt
                }
                room = nil
            }
            transfer.timeout = limit - attempt.elapsed
            let result = await thread.run(transfer)
            transfer.room?.end()
            let queued = attempt.timings.queued
            attempt.timings = result.timings
            attempt.timings.queued += queued
            attempt.elapsed += result.elapsed
            attempt.retryAfter = result.retryAfter
            if result.isOfUsedConnection, !transfer.needsNewConnection,
                transfer.request.method.isIdempotent
            {
                transfer.needsNewConnection = true
                continue
            }
            switch result.outcome {
            case .lacking(let bytes):
                // It holds no reservation while it waits, so that two requests don't wait for
                // each other. The second time it reserves the limit, so that an origin can't
                // repeat this.
                shortages += 1
                room = shortages == 1 ? bytes : request.maxBytes
                transfer.room = nil
                continue
            case .failure(let cause): attempt.end = .failure(cause)
            case .response(var response):
                do throws(FetchError.Cause) {
                    if let next = try follow(response, of: transfer) {
                        redirects += 1
                        guard redirects <= maxRedirects else {
                            throw .tooManyRedirects(limit: maxRedirects)
                        }
                        transfer = next
                        attempt.target = next.target
                        continue
                    }
                    response.hold = transfer.room?.hold
                    attempt.end = .success(response)
                } catch {
                    attempt.end = .failure(error)
                }
            }
            return attempt
        }
    }

    /// Returns the next transfer of the chain; nil if this response is the last.
    private func follow(
        _ response: FetchResponse, of transfer: Transfer
    ) throws(FetchError.Cause) -> Transfer? {
        guard followsRedirects, RedirectPolicy.isRedirect(response.status),
            let location = response.header("location"), !location.isEmpty
        else { return nil }
        var next = transfer
        next.target = try Target(
            CurlURL.parts(of: location.locationURL, relativeTo: transfer.target.url),
            allowedHosts: request.allowedHosts, addresses: addresses)
        let sameOrigin = next.target.isSameOrigin(as: transfer.target)
        let method = transfer.request.method
        guard
            let followed = RedirectPolicy.method(
                after: response.status, method, sameOrigin: sameOrigin)
        else { throw .redirectRefused(method, to: next.target.host) }
        next.request.method = followed
        next.needsNewConnection = false
        if !sameOrigin { next.headers = headers.lines(keepingSecrets: false) }
        return next
    }
}
