import Glibc
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct ListeningSocketTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a socket bound to a loopback address is a loopback socket`(host: String) throws {
        let socket = try ListeningSocket.open(host: host, port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(socket.port > 0)
        #expect(ListeningSocket.isLoopback(socket.descriptor))
        #expect(try ListeningSocket.adopt(socket.descriptor).port == socket.port)
    }

    @Test func `a connection is accepted with its first request`() throws {
        let socket = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(Self.deferral(of: socket) > 0)
        // As one that was opened by another program.
        var none: CInt = 0
        setsockopt(
            socket.descriptor, CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT, &none,
            socklen_t(MemoryLayout<CInt>.size))
        #expect(Self.deferral(of: socket) == 0)
        #expect(Self.deferral(of: try ListeningSocket.adopt(socket.descriptor)) > 0)
    }

    /// Returns the seconds for which connections without a request wait to be accepted.
    private static func deferral(of socket: ListeningSocket) -> CInt {
        var seconds: CInt = -1
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(socket.descriptor, CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT, &seconds, &size)
        return seconds
    }

    @Test func `a socket bound to all addresses is not a loopback socket`() throws {
        let socket = try ListeningSocket.open(host: "0.0.0.0", port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(!ListeningSocket.isLoopback(socket.descriptor))
    }

    @Test func `a port in use and an unknown name are different errors`() throws {
        let socket = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(throws: SystemError("bind", EADDRINUSE)) {
            try ListeningSocket.open(host: "127.0.0.1", port: socket.port, backlog: 1)
        }
        #expect(throws: SystemError("getaddrinfo", EADDRNOTAVAIL)) {
            try ListeningSocket.open(host: "256.256.256.256", port: 0, backlog: 1)
        }
    }
}
