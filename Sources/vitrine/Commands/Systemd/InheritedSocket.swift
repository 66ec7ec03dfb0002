import Console
import Glibc

/// A listening socket that the service manager opened before it started this process
/// (sd_listen_fds(3)).
enum InheritedSocket {
    /// The first inherited descriptor.
    private static let first: CInt = 3

    /// Returns the descriptor, or `nil` if this process got none. Its children don't inherit the
    /// descriptor.
    ///
    /// - Throws: ``CommandError`` if there is more than one socket, or if it is not listening.
    static func take(_ environment: [String: String]) throws(CommandError) -> CInt? {
        guard let count = try count(environment, process: getpid()) else { return nil }
        guard count == 1 else {
            throw CommandError(
                "\(count) sockets were given by LISTEN_FDS, and one is served; leave one "
                    + "ListenStream in the socket unit.", status: .configuration)
        }
        var isListening: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let isSocket =
            getsockopt(first, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0
        guard isSocket, isListening != 0, fcntl(first, F_SETFD, FD_CLOEXEC) == 0 else {
            throw CommandError(
                "The descriptor of LISTEN_FDS is not a listening socket; use ListenStream and "
                    + "Accept=no in the socket unit.", status: .configuration)
        }
        return first
    }

    /// Returns the number of sockets for the given process; `nil` without sockets.
    static func count(
        _ environment: [String: String], process: pid_t
    ) throws(CommandError) -> Int? {
        guard let given = environment["LISTEN_PID"], pid_t(given) == process,
            let text = environment["LISTEN_FDS"]
        else { return nil }
        guard let count = Int(text), count >= 0 else {
            throw CommandError(
                "LISTEN_FDS is “\(text)”; expected a number.", status: .configuration)
        }
        return count > 0 ? count : nil
    }
}
