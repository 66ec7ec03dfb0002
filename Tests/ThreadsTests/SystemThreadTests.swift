import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import Testing
import Threads

@Suite(.timeLimit(.minutes(1))) struct SystemThreadTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        var all: [String] { lines.withLock { $0 } }
    }

    /// Notes when it is released.
    private final class Held {
        let log: Log

        init(_ log: Log) { self.log = log }

        deinit { log.add("released") }
    }

    @Test func `a thread has its name and a niceness of its own`() async throws {
        let seen = Latch<(String?, CInt)>()
        let one = __priority_which_t(PRIO_PROCESS.rawValue)
        let before = getpriority(one, 0)
        try SystemThread.start("test-thread", niceness: 3) {
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            seen.set((name, getpriority(one, 0)))
        }
        let (name, niceness) = await seen.value()
        #expect(name == "test-thread\n")
        #expect(niceness == min(before + 3, 19))
    }

    @Test func `what a thread held is released before its end is told`() async throws {
        let (log, end, returned) = (Log(), Latch<Void>(), DispatchSemaphore(value: 0))
        func start() throws {
            let held = Held(log)
            let ended: @Sendable () -> Void = {
                log.add("ended")
                end.set(())
            }
            // This function holds it, too, until it returns.
            try SystemThread.start("test-thread", ended: ended) {
                returned.wait()
                held.log.add("ran")
            }
        }
        try start()
        returned.signal()
        await end.value()
        #expect(log.all == ["ran", "released", "ended"])
    }
}
