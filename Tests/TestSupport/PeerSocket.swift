// A release build takes what a socket needs from the first module that has it.
import CCrypto
import CLinux
import Glibc

/// A client's socket. Calls block for at most ten seconds. Belongs to one thread.
package final class PeerSocket {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// Milliseconds of one wait.
    private static let patience: CInt = 10_000

    package let file: CInt
    private var isOpen = true

    /// Connects.
    ///
    /// - Parameter room: bytes of the kernel's buffer for what is received; nil for the usual ones.
    package init(port: Int, room: CInt? = nil) throws {
        file = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var room {
            setsockopt(file, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "connect: errno \(errno)") }
    }

    deinit { close() }

    /// Makes the socket the caller's.
    func giveUp() -> CInt {
        isOpen = false
        return file
    }

    package func close() {
        if isOpen { Glibc.close(file) }
        isOpen = false
    }

    /// Closes at once and drops unsent bytes, so the server gets RST.
    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(file, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Closes the sending half.
    package func finish() { shutdown(file, CInt(SHUT_WR)) }

    /// Waits until the socket has bytes, or takes some.
    package func wait(_ event: Int32) throws {
        var one = pollfd(fd: file, events: Int16(event), revents: 0)
        guard poll(&one, 1, Self.patience) > 0 else { throw Failure(description: "timed out") }
    }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(file, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
            sent += count
        }
    }

    /// Receives some bytes; none at the end. A reset counts as the end.
    package func receiveOnce() throws -> [UInt8] {
        try wait(POLLIN)
        return [UInt8](unsafeUninitializedCapacity: 16 << 10) { place, count in
            count = max(0, recv(file, place.baseAddress, place.count, 0))
        }
    }

    /// Receives until no more comes.
    package func receiveAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try receiveOnce()
            if more.isEmpty { return bytes }
            bytes += more
        }
    }
}
