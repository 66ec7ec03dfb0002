import Glibc
import Logging
import NIOCore
import NIOPosix
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// What becomes of a thread that can't go on.
@Suite(.timeLimit(.minutes(1))) struct HitThreadTests {
    @Test func `a thread that can't begin says why`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let thread = try HitThread(finished: loop.makePromise())
        try thread.start { _ throws(IOError) in
            throw IOError(errnoCode: EMFILE, reason: "epoll_create1")
        }
        let error = await #expect(throws: IOError.self) { try await thread.ended.get() }
        #expect(error?.errnoCode == EMFILE)
        // Nobody waits for it in vain.
        await #expect(throws: IOError.self) { try await thread.stop().get() }
    }

    /// The kernel watches no plain files.
    @Test(arguments: [true, false])
    func `a thread whose sockets can't be watched says why`(isWake: Bool) async throws {
        try await withHarness { harness in
            let directory = try TemporaryDirectory()
            let file = open(try directory.write([], to: "plain"), O_RDONLY)
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let thread = try HitThread(finished: eventLoop.makePromise())
            let pipeline = harness.pipeline
            let surroundings = HitLoop.Surroundings(
                limits: ConnectionLimits(ServerConfiguration()), isEncrypted: false,
                budget: ConnectionBudget(limit: 1), counters: LoopCounters(),
                logger: RecordedLog().logger(.trace), access: .off,
                precedence: Precedence(percent: 0), handOver: { _ in }, takeReturned: { [] },
                makeRoom: { _, _ in })
            try thread.start { wake throws(IOError) in
                try HitLoop(
                    listener: isWake ? -1 : file, wake: isWake ? file : wake, HitLookup(pipeline),
                    surroundings)
            }
            let error = await #expect(throws: IOError.self) { try await thread.ended.get() }
            #expect(error?.errnoCode == EPERM)
            close(file)
        }
    }
}
