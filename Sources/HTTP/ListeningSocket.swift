import CLinux
import Glibc

/// A TCP socket that listens.
package struct ListeningSocket {
    /// Closed by the caller.
    package let descriptor: CInt
    package let port: Int

    /// Binds the first address of a name. Blocks while the name is looked up.
    ///
    /// - Parameter port: 0 takes any free port.
    package static func open(
        host: String, port: Int, backlog: Int
    ) throws(SystemError) -> ListeningSocket {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let address = list?.pointee else {
            throw SystemError("getaddrinfo", EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(list) }
        return try open(address, backlog: backlog)
    }

    private static func open(
        _ address: addrinfo, backlog: Int
    ) throws(SystemError) -> ListeningSocket {
        let descriptor = try call("socket") { vitrine_stream_socket(address.ai_family) }
        do throws(SystemError) {
            // A restart must not wait for the connections of the run before.
            try set(descriptor, SOL_SOCKET, SO_REUSEADDR)
            try prepare(descriptor)
            _ = try call("bind") { bind(descriptor, address.ai_addr, address.ai_addrlen) }
            _ = try call("listen") { listen(descriptor, CInt(backlog)) }
            return ListeningSocket(descriptor: descriptor, port: try port(descriptor))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Adopts a socket that another process opened. A Unix socket has port 0.
    package static func adopt(_ descriptor: CInt) throws(SystemError) -> ListeningSocket {
        let flags = try call("fcntl") { fcntl(descriptor, F_GETFL) }
        _ = try call("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        let port = try port(descriptor)
        if port > 0 { try prepare(descriptor) }
        return ListeningSocket(descriptor: descriptor, port: port)
    }

    /// Sets what accepted connections inherit, and when they can be accepted.
    private static func prepare(_ descriptor: CInt) throws(SystemError) {
        // A response never waits for more to send.
        try set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY)
        try set(descriptor, CInt(IPPROTO_TCP), notSentLowWatermark, to: maxNotSent)
        // A thread is woken once, for a connection and its first request, instead of twice.
        try set(descriptor, CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT, to: maxDeferral)
    }

    /// Seconds after which a connection can be accepted that has sent nothing.
    private static let maxDeferral: CInt = 1
    /// `TCP_NOTSENT_LOWAT`, which Glibc's module leaves out.
    private static let notSentLowWatermark: CInt = 25
    /// Bytes that the kernel buffers per connection besides those in flight. Without it a client that
    /// doesn't read costs megabytes, which count for the control group.
    private static let maxNotSent: CInt = 128 << 10

    /// Returns whether a name or address belongs to this machine alone.
    package static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased().filter { $0 != "[" && $0 != "]" }
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Returns whether only this machine reaches a listening socket. A socket that is not an IP
    /// socket has a proxy in front, so any client may reach it.
    package static func isLoopback(_ descriptor: CInt) -> Bool {
        SocketName.local(descriptor).map(isLoopback) ?? false
    }

    private static func set(
        _ descriptor: CInt, _ level: CInt, _ option: CInt, to value: CInt = 1
    ) throws(SystemError) {
        var value = value
        _ = try call("setsockopt") {
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// Returns the port of either family; it is at the same offset.
    private static func port(_ descriptor: CInt) throws(SystemError) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = try call("getsockname") {
            withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    getsockname(descriptor, address, &length)
                }
            }
        }
        guard [AF_INET, AF_INET6].contains(CInt(storage.ss_family)) else { return 0 }
        return withUnsafeBytes(of: &storage) { bytes in
            Int(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    private static func call(
        _ name: String, _ body: () -> CInt
    ) throws(SystemError) -> CInt {
        let result = body()
        guard result >= 0 else { throw SystemError(name, errno) }
        return result
    }
}
