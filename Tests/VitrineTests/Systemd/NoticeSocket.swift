import Foundation

/// The other end of notices: a local datagram socket with a name without a file.
final class NoticeSocket: Sendable {
    /// As in `NOTIFY_SOCKET`.
    let name = "@vitrine-test-\(UUID().uuidString)"
    private let file: CInt

    init() throws {
        file = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(name.utf8.dropFirst())
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, length) }
        }
        guard file >= 0, bound == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        // A notice that never comes fails a test instead of hanging it.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            file, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(file) }

    /// The next one; empty where none comes within a minute.
    func next() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                var bytes = [UInt8](repeating: 0, count: 4_096)
                let count = recv(file, &bytes, bytes.count, 0)
                continuation.resume(
                    returning: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }
}
