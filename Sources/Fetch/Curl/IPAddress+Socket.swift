import CCurl
import Glibc

extension IPAddress {
    /// Reads the address of an `AF_INET` or `AF_INET6` socket address; `nil` for any other family.
    init?(_ raw: UnsafePointer<sockaddr>) {
        switch Int32(raw.pointee.sa_family) {
        case AF_INET:
            self = raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                IPAddress($0.pointee.sin_addr)
            }
        case AF_INET6:
            self = raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                IPAddress($0.pointee.sin6_addr)
            }
        default: return nil
        }
    }
}
