import Console
import Glibc

/// Reports the service's state to the service manager (sd_notify(3)). Does nothing without
/// `NOTIFY_SOCKET`.
struct SystemdNotice: Sendable {
    /// A path, or an abstract name that starts with `@`.
    private let address: String?

    init(_ environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Sends the state as one datagram. Blocks while the manager's queue is full.
    ///
    /// - Parameter state: lines of `NAME=value`.
    /// - Throws: why it was not sent. The service continues without it.
    func send(_ state: String) throws(CommandError) {
        guard let address else { return }
        var socketAddress = sockaddr_un()
        let room = MemoryLayout.size(ofValue: socketAddress.sun_path) - 1
        var name = Array(address.utf8)
        guard address.hasPrefix("/") || address.hasPrefix("@"), name.count <= room else {
            throw CommandError("NOTIFY_SOCKET is not the address of a local socket.")
        }
        if address.hasPrefix("@") { name[0] = 0 }
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: name) }
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        let length = socklen_t(start + name.count)
        let file = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { throw Self.failure("socket") }
        defer { close(file) }
        let bytes = Array(state.utf8)
        let sent = withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(file, bytes, bytes.count, CInt(MSG_NOSIGNAL), address, length)
            }
        }
        guard sent == bytes.count else { throw Self.failure("sendto") }
    }

    private static func failure(_ call: String) -> CommandError {
        CommandError(
            "NOTIFY_SOCKET doesn't take messages (\(call): "
                + "\(String(cString: strerror(errno)))).")
    }
}
