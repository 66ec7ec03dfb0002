import CLinux
import Glibc

/// The textual IP addresses of a socket's two ends.
enum SocketName {
    /// Returns the address of this end; nil if it is not an IP socket.
    static func local(_ descriptor: CInt) -> String? { text(descriptor, getsockname) }

    /// Returns the address of the other end; nil if it is not an IP socket.
    static func peer(_ descriptor: CInt) -> String? { text(descriptor, getpeername) }

    private static func text(
        _ descriptor: CInt,
        _ ask: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> String? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                ask(descriptor, $0, &size) == 0
            }
        }
        let family = CInt(storage.ss_family)
        guard isKnown, family == AF_INET || family == AF_INET6 else { return nil }
        // Where the address stands in sockaddr_in and in sockaddr_in6.
        let offset = family == AF_INET ? 4 : 8
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        return withUnsafeBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress,
                let name = inet_ntop(
                    family, address + offset, &text, socklen_t(INET6_ADDRSTRLEN))
            else { return nil }
            return String(cString: name)
        }
    }
}
