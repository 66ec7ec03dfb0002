import Glibc
import Testing

@testable import vitrine_bench

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
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        try #require(listen(socket, 1) == 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(socket, $0, &length)
            }
        }
        let port = Int(UInt16(bigEndian: address.sin_port))
        #expect(ServerProcess.listening(on: port) == getpid())
        #expect(ProcessUsage.family(of: getpid()) > 0)
        shutdown(socket, Int32(SHUT_RDWR))
        #expect(ServerProcess.listening(on: port) == nil)
    }
}
