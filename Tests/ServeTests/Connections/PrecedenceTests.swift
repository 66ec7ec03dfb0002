import CLinux
import Foundation
import Serve
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PrecedenceTests {
    @Test(arguments: [0, 50])
    func `hit threads get real-time scheduling where it is permitted`(
        percent: Int
    ) async throws {
        // A hit is logged by the thread that answers it.
        let log = Self.policies()
        try await log.serving({ $0.hitPrecedence = percent }) { running in
            let client = try await running.connect()
            try await client.send(request("/t/m/tvmaze/show/1"))
            #expect(await client.answers(1).map(\.status) == [200])
        }
        let isFirst = percent > 0 ? await Self.isPermitted() : false
        #expect(log.facts == [isFirst ? SCHED_RR : SCHED_OTHER])
    }

    /// Runs it on a thread that ends afterward.
    private static func isPermitted() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: vitrine_go_first(true) == 0) }.start()
        }
    }

    /// The scheduling of the threads that log. The bit keeps the threads that they start from
    /// inheriting it.
    private static func policies() -> ThreadLog<CInt> {
        ThreadLog { sched_getscheduler(0) & 0xffff }
    }
}
