import App
import Foundation
import TestSupport
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ServerProcessTests {
    @Test func `a server that ends at once is reported with its last words`() async throws {
        let directory = try TemporaryDirectory()
        let port = try vitrine.LoopbackPort.free()
        let order = MeasuredProgram.Order(
            "/bin/sh", ["-c", "echo first >&2; echo no such file >&2; exit 3"])
        await #expect(
            throws: CommandError(
                "peer did not start to listen on port \(port): no such file")
        ) {
            try await ServerProcess.start("peer", port: port, order, scratch: directory.path)
        }
    }

    @Test func `a port accepts connections as long as a server listens there`() async throws {
        let origin = try await OriginServer.start()
        let port = origin.port
        #expect(vitrine.LoopbackPort.accepts(port))
        await origin.stop()
        #expect(!vitrine.LoopbackPort.accepts(port))
    }

    @Test func `a program is bound to the processor that is wanted, and this thread is not`()
        async throws
    {
        let allowed = Processors.allowed()
        let first = try #require(allowed.numbers.first)
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/status"
        var order = MeasuredProgram.Order(
            "/bin/sh", ["-c", "grep Cpus_allowed_list /proc/self/status"])
        order.output = .file(file)
        let started = order
        let after = try await FileThreads.run { () throws(CommandError) in
            let program = try MeasuredProgram.start(started, on: Processors([first]))
            return (program, Processors.allowed())
        }
        #expect(await after.0.wait().status == 0)
        #expect(after.1 == allowed)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.split(whereSeparator: \.isWhitespace).last.map(String.init) == "\(first)")
    }
}
