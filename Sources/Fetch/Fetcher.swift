import Synchronization

/// Fetches bytes from origins through libcurl's multi interface, on its own thread.
package final class Fetcher: Fetching {
    /// The version of the libcurl that is loaded, such as 7.88.1.
    package static var libraryVersion: String { CurlLibrary.version }

    private let configuration: FetchConfiguration
    /// With the policies of hosts that are in force.
    private let current: Mutex<FetchConfiguration>
    private let thread: TransferThread
    private let pauses = Pauses()
    private let random: @Sendable () -> Double
    private let pause: @Sendable (Duration) async -> FetchError.Cause?

    /// - Throws: ``FetchError/Cause/configuration(reason:)`` if the configuration can't work.
    package convenience init(_ configuration: FetchConfiguration) throws(FetchError) {
        try self.init(configuration, random: { Double.random(in: 0..<1) }, pause: nil)
    }

    /// - Parameters:
    /// - random: returns a uniform number in 0 ..< 1.
    /// - pause: waits before a retry. Returns nil after the time, or why the wait ended earlier.
    init(
        _ configuration: FetchConfiguration,
        random: @escaping @Sendable () -> Double,
        pause: (@Sendable (Duration) async -> FetchError.Cause?)?
    ) throws(FetchError) {
        do throws(FetchError.Cause) {
            try configuration.check()
            thread = try TransferThread(configuration)
        } catch {
            throw FetchError(error)
        }
        self.configuration = configuration
        current = Mutex(configuration)
        self.random = random
        self.pause = pause ?? { [pauses] in await pauses.pause(for: $0) }
    }

    package func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        let run: RequestRun
        do throws(FetchError.Cause) {
            run = try RequestRun(request, configuration)
        } catch {
            throw FetchError(error)
        }
        var attempts: [FetchAttempt] = []
        // A host that sends slowly would otherwise hold the request for as long as all attempts together.
        // libcurl measures with a clock that is never adjusted, so an attempt it ends can leave a rest.
        var left = configuration.totalTimeout
        while true {
            let attempt = await run.attempt(over: thread, within: left)
            left -= attempt.elapsed
            let pause =
                left > configuration.totalTimeout / 100
                ? pause(after: attempt, number: attempts.count + 1, request) : nil
            attempts.append(
                FetchAttempt(
                    status: attempt.response?.status, failure: attempt.cause?.words,
                    duration: attempt.elapsed, pause: pause ?? .zero))
            if pause == nil, var response = attempt.response {
                response.attempts = attempts
                response.timings = attempt.timings
                return response
            }
            request.permit?.giveBack()
            let cause = if let pause { await self.pause(pause) } else { attempt.cause }
            if let cause {
                throw FetchError(cause, host: attempt.target.host, attempts: attempts)
            }
        }
    }

    /// Returns the pause after an attempt that is repeated; nil if it is the last.
    private func pause(
        after attempt: RequestRun.Attempt, number: Int, _ request: FetchRequest
    ) -> Duration? {
        switch attempt.end {
        case .success(let response):
            guard RetryPolicy.isTemporary(response.status),
                !request.finalStatuses.contains(response.status)
            else { return nil }
            return configuration.retry.pause(
                after: number, asked: attempt.retryAfter, random: random())
        case .failure(let cause):
            return cause.isTemporary
                ? configuration.retry.pause(after: number, random: random()) : nil
        }
    }

    package var hosts: [HostState] {
        get async { await thread.hosts() }
    }

    /// Takes ``FetchConfiguration/hosts`` and ``FetchConfiguration/defaultHost`` from another configuration, for
    /// transfers that start from now on.
    package func changePolicies(to configuration: FetchConfiguration) {
        let changed = current.withLock {
            $0.hosts = configuration.hosts
            $0.defaultHost = configuration.defaultHost
            return $0
        }
        thread.change(changed)
    }

    /// Returns the load that a host may receive now.
    package func policy(of host: String) -> HostPolicy {
        current.withLock { $0 }.policy(of: host)
    }

    /// Aborts running transfers, ends pauses, rejects new requests, and joins the thread. Idempotent.
    package func shutdown() async {
        pauses.close()
        await thread.stop()
    }
}

/// Pauses between the attempts of requests. Each ends early with its task or with the fetcher.
private final class Pauses: Sendable {
    /// nil once the fetcher has stopped.
    private let sleeping = Mutex<Set<Task<Void, any Error>>?>([])

    /// Returns nil after the duration, or why the pause ended earlier.
    func pause(for duration: Duration) async -> FetchError.Cause? {
        let sleep = Task { try await Task.sleep(for: duration) }
        guard sleeping.withLock({ $0?.insert(sleep) != nil }) else {
            sleep.cancel()
            return .stopped
        }
        defer { _ = sleeping.withLock { $0?.remove(sleep) } }
        do {
            try await withTaskCancellationHandler {
                try await sleep.value
            } onCancel: {
                sleep.cancel()
            }
            return nil
        } catch {
            return Task.isCancelled ? .canceled : .stopped
        }
    }

    func close() {
        let ended = sleeping.withLock { sleeping in
            defer { sleeping = nil }
            return sleeping
        }
        ended?.forEach { $0.cancel() }
    }
}
