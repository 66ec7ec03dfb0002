/// Fetches bytes from origins through libcurl's multi interface, on its own thread.
package final class Fetcher: Fetching {
    private let configuration: FetchConfiguration
    private let thread: TransferThread
    private let random: @Sendable () -> Double
    private let pause: @Sendable (Duration) async -> TransferFailure?

    /// - Throws: ``FetchError/configuration(reason:)`` if the configuration can't work.
    package convenience init(_ configuration: FetchConfiguration) throws(FetchError) {
        try self.init(configuration, random: { Double.random(in: 0..<1) }, pause: nil)
    }

    /// - Parameters:
    /// - random: returns a uniform number in 0 ..< 1.
    /// - pause: waits before a retry. Returns nil after the time, or why the wait ended earlier.
    init(
        _ configuration: FetchConfiguration,
        random: @escaping @Sendable () -> Double,
        pause: (@Sendable (Duration) async -> TransferFailure?)?
    ) throws(FetchError) {
        try configuration.check()
        let thread = try TransferThread(configuration)
        self.configuration = configuration
        self.thread = thread
        self.random = random
        self.pause = pause ?? { await thread.pause(for: $0) }
    }

    package func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        let run = try RequestRun(request, configuration)
        var attempts: [FetchAttempt] = []
        // A host that sends slowly would otherwise hold the request for as long as all attempts together.
        // libcurl measures with a clock that nobody adjusts, so an attempt it ends can leave a rest.
        var left = configuration.totalTimeout
        while true {
            let attempt = await run.attempt(over: thread, within: left)
            left -= attempt.elapsed
            let decision: RetryPolicy.Decision =
                left <= configuration.totalTimeout / 100
                ? .stop
                : configuration.retry.decision(
                    after: attempt.retryView(request.finalStatuses), attempt: attempts.count + 1,
                    random: random())
            attempts.append(attempt.record(pause: decision))
            guard case .pause(let pause) = decision else {
                if !attempt.isAnswered { request.permit?.giveBack() }
                return try attempt.response(attempts)
            }
            request.permit?.giveBack()
            if let failure = await self.pause(pause) {
                throw failure.error(host: attempt.host, attempts: attempts)
            }
        }
    }

    package var hosts: [HostState] {
        get async { await thread.hosts() }
    }

    /// Takes ``FetchConfiguration/hosts`` and ``FetchConfiguration/defaultHost`` from another configuration, for
    /// transfers that start from now on.
    package func changePolicies(to configuration: FetchConfiguration) {
        var changed = self.configuration
        changed.hosts = configuration.hosts
        changed.defaultHost = configuration.defaultHost
        thread.change(changed)
    }

    /// Aborts running transfers, rejects new ones, and joins the thread. Idempotent.
    package func shutdown() async {
        await thread.stop()
    }
}

extension RequestRun.Attempt {
    fileprivate func retryView(_ finalStatuses: Set<Int>) -> AttemptEnd {
        switch end {
        case .answered(let answer, _) where finalStatuses.contains(answer.status): .final
        case .answered(let answer, _):
            AttemptEnd(status: answer.status, retryAfter: answer.retryAfter)
        case .failed(let failure, _): AttemptEnd(failure: failure)
        case .refused: .final
        }
    }

    fileprivate var isAnswered: Bool {
        if case .answered = end { true } else { false }
    }

    fileprivate var host: String {
        switch end {
        case .answered(_, let target): target.host
        case .failed(_, let host): host
        case .refused: ""
        }
    }

    fileprivate func record(pause: RetryPolicy.Decision) -> FetchAttempt {
        var record = FetchAttempt(status: nil, failure: nil, duration: elapsed, pause: .zero)
        switch end {
        case .answered(let answer, _): record.status = answer.status
        case .failed(let failure, _): record.failure = failure.words
        case .refused(let error): record.failure = error.description
        }
        if case .pause(let pause) = pause { record.pause = pause }
        return record
    }

    fileprivate func response(_ attempts: [FetchAttempt]) throws(FetchError) -> FetchResponse {
        switch end {
        case .answered(let answer, let target):
            FetchResponse(
                status: answer.status, headers: ResponseHead(answer.head).fields,
                body: answer.body, hold: hold, url: target.url, attempts: attempts,
                timings: timings)
        case .failed(let failure, let host): throw failure.error(host: host, attempts: attempts)
        case .refused(let error): throw error
        }
    }
}
