import Fetch
import Logging
import Synchronization
import TestSupport
import Testing
import WorkQueueSupport

@testable import Fleet
@testable import WorkQueue

@Suite(.timeLimit(.minutes(1))) struct FleetRatesTests {
    /// The instants at which transfers began, of all workers.
    private final class Starts: Sendable {
        private let instants = Mutex<[ContinuousClock.Instant]>([])

        var all: [ContinuousClock.Instant] { instants.withLock { $0.sorted() } }

        func add(_ instant: ContinuousClock.Instant) {
            instants.withLock { $0.append(instant) }
        }
    }

    @Test func `ten workers ask an origin no faster than one`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/*", .ok([1]))
        let (count, window, requests) = (20, Duration.seconds(1), 120)
        let starts = Starts()
        let hub = QueueInMemory.hub()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<10 {
                group.addTask {
                    let rates = FleetRates(
                        hub, name: "w\(worker)", trickles: false,
                        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                        started: { starts.add($0) })
                    let dividing = Task { await rates.run() }
                    var configuration = FetchConfiguration()
                    configuration.allowedNetworks = [Network("127.0.0.0/8")].compactMap(\.self)
                    configuration.defaultHost = HostPolicy(
                        maxConcurrent: 4, rate: .init(count: count, per: window))
                    configuration.sharedRates = rates.limit(beside: nil)
                    let fetcher = try Fetcher(configuration)
                    for number in 0..<(requests / 10) {
                        _ = try await fetcher.fetch(
                            FetchRequest(
                                url: "\(origin.url)/\(worker)/\(number)", purpose: .original,
                                maxBytes: 10))
                    }
                    await fetcher.shutdown()
                    dividing.cancel()
                    await dividing.value
                }
            }
            try await group.waitForAll()
        }
        await hub.close()
        #expect(origin.log.requests.count == requests)
        let all = starts.all
        #expect(all.count == requests)
        for (first, last) in zip(all, all.dropFirst(count)) {
            #expect(last - first >= window)
        }
    }
}
