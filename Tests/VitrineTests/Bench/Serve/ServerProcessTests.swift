import App
import Foundation
import Glibc
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

    @Test func `a port accepts connections only if a server listens there`() async throws {
        // Bound from the beginning, so that no other program takes the port.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listener >= 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(isBound)
        let port = Int(UInt16(bigEndian: address.sin_port))
        #expect(!vitrine.LoopbackPort.accepts(port))
        try #require(listen(listener, 4) == 0)
        #expect(vitrine.LoopbackPort.accepts(port))
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
