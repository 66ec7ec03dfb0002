import CEpoll
import Foundation
import TestSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct PrecedenceTests {
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
        // What is logged of a hit is logged by the thread that answers it.
        let log = Self.policies()
        try await log.serving({ $0.hitPrecedence = percent }) { running in
            let client = try await running.connect()
            try await client.send(request("/t/m/tvmaze/show/1"))
            #expect(await client.answers(1).map(\.status) == [200])
        }
        let isFirst = percent > 0 ? await Self.isPermitted() : false
        #expect(log.facts == [isFirst ? SCHED_RR : SCHED_OTHER])
    }

    /// Asked by a thread that ends with it.
    private static func isPermitted() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: vitrine_go_first(true) == 0) }.start()
        }
    }

    /// How the threads that log are scheduled. The bit is what keeps it from threads they start.
    private static func policies() -> ThreadLog<CInt> {
        ThreadLog { sched_getscheduler(0) & 0xffff }
    }
}
