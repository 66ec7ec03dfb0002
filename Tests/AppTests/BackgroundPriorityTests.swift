import Foundation
import Testing

@testable import App

@Suite struct BackgroundPriorityTests {
    @Test func `a thread in the background goes after others, and so do those it starts`() async {
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        // On a thread of its own, which can't raise its priority again.
        let (before, after, isKnown) = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let own = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/thread-self")
                let thread = own?.split(separator: "/").last.flatMap { UInt32($0) } ?? 0
                let before = getpriority(kind, thread)
                BackgroundPriority.take(of: [thread])
                continuation.resume(
                    returning: (
                        before, getpriority(kind, thread),
                        BackgroundPriority.threads.contains(thread)
                    ))
            }
        }
        #expect(after == min(19, before + 5))
        #expect(isKnown)
    }
}
