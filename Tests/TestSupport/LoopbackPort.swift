import Glibc

/// A port of 127.0.0.1 that is reserved while the value lives. Without a listener clients are
/// refused, and no other test gets the port.
package final class LoopbackPort: Sendable {
    package let number: Int
    private let reservation: Int32

    package struct Failure: Error {
        var code: Int32
    }

    package init() throws(Failure) {
        (reservation, number) = try Self.bound(to: 0)
    }

    deinit { close(reservation) }

    /// A socket that is bound to the port and ready to listen. The caller closes it.
    package func socket() throws(Failure) -> Int32 {
        try Self.bound(to: number).socket
    }

    private static func bound(to port: Int) throws(Failure) -> (socket: Int32, port: Int) {
        // Not inherited by child processes, which would keep listening.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var yes: Int32 = 1
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                setsockopt(
                    descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
                    == 0 && bind(descriptor, $0, size) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else {
            let code = errno
            close(descriptor)
            throw Failure(code: code)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
