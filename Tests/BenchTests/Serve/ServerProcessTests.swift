import App
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct ServerProcessTests {
    @Test func `a server that ends at once is reported with its last words`() async throws {
        let directory = try TemporaryDirectory()
        let error = await #expect(throws: CommandError.self) {
            try await ServerProcess.start("peer", scratch: directory.path) { _ in
                MeasuredProgram.Order(
                    "/bin/sh", ["-c", "echo first >&2; echo no such file >&2; exit 3"])
            }
        }
        #expect(error?.description.hasPrefix("peer did not start to listen on port ") == true)
        #expect(error?.description.hasSuffix(": no such file") == true)
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
        #expect(!LoopbackPort.accepts(port))
        try #require(listen(listener, 4) == 0)
        #expect(LoopbackPort.accepts(port))
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
        order.output = file
        order.processors = Processors([first])
        #expect(try await MeasuredProgram.run(order).status == 0)
        #expect(Processors.allowed() == allowed)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.split(whereSeparator: \.isWhitespace).last.map(String.init) == "\(first)")
    }
}
