import Fetch
import Logging
import Pipeline

/// The caches in front that the settings name, told of purges in the background.
package final class PurgeCalls: PurgeHook {
    /// Limit of one attempt: caches answer within a second, and a purge that they took is repeated safely.
    private static let timeout = Duration.seconds(10)

    private let queues: [PurgeQueue]
    private let fetcher: Fetcher?

    /// Returns nil if the settings name no cache.
    ///
    /// - Throws: `FetchError` if the network settings can't work.
    init?(
        _ settings: Settings, metrics: PipelineMetrics, logger: Logger
    ) throws(FetchError) {
        func queue(_ name: String, _ call: @escaping PurgeQueue.Call) -> PurgeQueue {
            PurgeQueue(
                name, logger: logger,
                ended: { metrics.cachePurge(by: name, isTold: $0) }, call)
        }
        var queues: [PurgeQueue] = []
        var fetcher: Fetcher?
        let token = settings.credentials.cdnPurgeToken.value
        if settings.purgeRequest.url != nil {
            let own = try Fetcher(settings.endpointFetching(within: Self.timeout))
            var template = settings.purgeRequest
            template.token = token
            queues.append(
                queue("url") { [template] (tags, soft) throws(PurgeQueue.CallError) in
                    try await template.send(tags, soft: soft, by: own)
                })
            fetcher = own
        }
        if !settings.purgeCommand.isEmpty {
            let program = PurgeProgram(
                command: settings.purgeCommand, token: token, timeout: Self.timeout)
            queues.append(
                queue("command") { (tags, soft) throws(PurgeQueue.CallError) in
                    try await program.run(tags, soft: soft)
                })
        }
        guard !queues.isEmpty else { return nil }
        self.queues = queues
        self.fetcher = fetcher
    }

    package func purged(_ tags: [String], soft: Bool) {
        for queue in queues { queue.add(tags, soft: soft) }
    }

    /// Waits until every cache has been told. Returns why one could not be told.
    package func settled() async -> [String] {
        var failures: [String] = []
        for queue in queues { failures += await queue.settled() }
        return failures
    }

    /// Tries what waits once more, and stops.
    func close() async {
        await withTaskGroup(of: Void.self) { group in
            for queue in queues { group.addTask { await queue.close() } }
        }
        await fetcher?.shutdown()
    }
}
