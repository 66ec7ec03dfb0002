import CEpoll
import Foundation
import Imaging
import Logging
import Pipeline
import PipelineSupport
import Synchronization
import TestSupport
import Testing

@testable import Serve

@Suite struct PrecedenceTests {
    @Test(arguments: [
        (0.1, false, true), (0.24, false, true), (0.26, false, false), (0.49, true, true),
        (0.51, true, false), (0.99, false, false),
    ])
    func `is wanted below its share, and taken back well below`(
        share: Double, isHeld: Bool, wanted: Bool
    ) {
        #expect(Precedence.isWanted(share: share, limit: 0.5, isHeld: isHeld) == wanted)
    }

    @Test(arguments: [0, 50])
    func `hits are answered before everything else where that is permitted`(
        percent: Int
    ) async throws {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on(
            "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 68, height: 100), maxAge: 100))
        _ = try await harness.picture(1, "m", .webp)
        // What is logged of a hit is logged by the thread that answers it.
        let log = PolicyLog()
        try await RunningServer.with(
            harness.pipeline,
            {
                $0.accessLog = .all
                $0.hitPrecedence = percent
            }, logger: Logger(label: "test") { _ in log }
        ) { running in
            let client = try await running.connect()
            try await client.send(request("/t/m/tvmaze/show/1"))
            #expect(await client.answers(1).map(\.status) == [200])
        }
        try await harness.close()
        let isFirst = percent > 0 ? await Self.isPermitted() : false
        #expect(log.policies == [isFirst ? SCHED_RR : SCHED_OTHER])
    }

    /// Asked by a thread that ends with it.
    private static func isPermitted() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: vitrine_go_first(true) == 0) }.start()
        }
    }

    /// Keeps how the threads that log are scheduled.
    private struct PolicyLog: LogHandler {
        private final class Found: Sendable {
            let policies = Mutex<[CInt]>([])
        }

        private let found = Found()
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        var policies: [CInt] { found.policies.withLock { $0 } }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.message == "request" else { return }
            // The bit is what keeps it from threads that this one starts.
            let policy = sched_getscheduler(0) & 0xffff
            found.policies.withLock { $0.append(policy) }
        }
    }
}
