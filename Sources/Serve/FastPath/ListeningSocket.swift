import CEpoll
import Glibc
import NIOCore

/// A TCP socket that listens.
struct ListeningSocket {
    /// The caller's to close.
    let descriptor: CInt
    let port: Int

    static func open(_ address: SocketAddress, backlog: Int) throws(IOError) -> ListeningSocket {
        let descriptor = try call("socket") {
            vitrine_stream_socket(CInt(address.protocol.rawValue))
        }
        do throws(IOError) {
            // A restart must not wait for the connections of the run before.
            try set(descriptor, SOL_SOCKET, SO_REUSEADDR)
            // Accepted connections inherit it: an answer never waits for more to send.
            try set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY)
            try set(descriptor, CInt(IPPROTO_TCP), notSentLowWatermark, to: maxNotSent)
            _ = try call("bind") {
                address.withSockAddr { pointer, length in
                    bind(descriptor, pointer, socklen_t(length))
                }
            }
            _ = try call("listen") { listen(descriptor, CInt(backlog)) }
            return ListeningSocket(descriptor: descriptor, port: try port(descriptor))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// One that listens already, as another process left it. A Unix socket has port 0.
    static func adopt(_ descriptor: CInt) throws(IOError) -> ListeningSocket {
        let flags = try call("fcntl") { fcntl(descriptor, F_GETFL) }
        _ = try call("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        let port = try port(descriptor)
        if port > 0 {
            try set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY)
            try set(descriptor, CInt(IPPROTO_TCP), notSentLowWatermark, to: maxNotSent)
        }
        return ListeningSocket(descriptor: descriptor, port: port)
    }

    /// `TCP_NOTSENT_LOWAT`, which Glibc's module leaves out.
    private static let notSentLowWatermark: CInt = 25
    /// Bytes that the kernel takes of a connection besides those on their way. For a client that
    /// doesn't read it would take megabytes, and they count for the control group.
    private static let maxNotSent: CInt = 128 << 10

    /// Whether that name or address is of this machine alone.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased().filter { $0 != "[" && $0 != "]" }
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether only this machine reaches a socket that listens already. Behind one that is no IP
    /// socket there is a proxy, and anybody.
    static func isLoopback(_ descriptor: CInt) -> Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0
            }
        }
        guard isKnown else { return false }
        let address: String? = withUnsafePointer(to: &storage) { pointer in
            let address = UnsafeRawPointer(pointer)
            return switch CInt(pointer.pointee.ss_family) {
            case AF_INET: SocketAddress(address.load(as: sockaddr_in.self)).ipAddress
            case AF_INET6: SocketAddress(address.load(as: sockaddr_in6.self)).ipAddress
            default: nil
            }
        }
        return address.map(isLoopback) ?? false
    }

    private static func set(
        _ descriptor: CInt, _ level: CInt, _ option: CInt, to value: CInt = 1
    ) throws(IOError) {
        var value = value
        _ = try call("setsockopt") {
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// Of either family: the port stands at the same place.
    private static func port(_ descriptor: CInt) throws(IOError) -> Int {
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
    ) throws(IOError) -> CInt {
        let result = body()
        guard result >= 0 else { throw IOError(errnoCode: errno, reason: name) }
        return result
    }
}

/// The process's open files.
enum Descriptors {
    /// What the rest needs beside connections: the store's files, transfers, libraries.
    private static let reserve: Int = 1_024

    /// Raises the limit of open files for so many connections; returns how many there can be.
    static func reserve(connections: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return connections
        }
        let wanted = rlim_t(connections + reserve)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        let there = Int(clamping: limit.rlim_cur)
        return min(connections, max(there - reserve, there / 2, 1))
    }
}
