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
        let reserved = try TestSupport.LoopbackPort()
        let listener = try reserved.socket()
        defer { close(listener) }
        let port = reserved.number
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

@Suite(.timeLimit(.minutes(1))) struct ListeningProcessTests {
    @Test func `sockets that listen on the port are found in the kernel's table`() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0
               1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0
               2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0
               3: 00000000000000000000000000000000:1F90 00000000:0000 0A 0:0 00:0 0     0        0 4714 1 0
            """
        #expect(
            ServerProcess.listening(on: 8_080, table: table) == ["socket:[4711]", "socket:[4714]"])
        #expect(ServerProcess.listening(on: 80, table: table) == [])
    }

    @Test func `of a family that listens together it is the first`() {
        func entry(_ identifier: Int, _ parent: Int) -> ProcessTree.Entry {
            ProcessTree.Entry(
                identifier: identifier, parent: parent, ticks: 0, residentPages: 0)
        }
        let tree = ProcessTree(entries: [entry(1, 0), entry(9, 1), entry(12, 9), entry(13, 9)])
        #expect(tree.first(of: [12, 9, 13]) == 9)
        #expect(tree.first(of: [13, 12]) == 12)
        #expect(tree.first(of: []) == nil)
    }

    @Test func `the process that listens is found by its port`() throws {
        let reserved = try TestSupport.LoopbackPort()
        let (socket, port) = (try reserved.socket(), reserved.number)
        defer { close(socket) }
        try #require(listen(socket, 1) == 0)
        #expect(ServerProcess.listening(on: port) == getpid())
        #expect(ProcessUsage.family(of: getpid()) > 0)
        shutdown(socket, Int32(SHUT_RDWR))
        #expect(ServerProcess.listening(on: port) == nil)
    }
}
