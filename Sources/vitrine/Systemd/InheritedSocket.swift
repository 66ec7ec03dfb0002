import Glibc

/// A listening socket that the service manager opened before it started this process
/// (sd_listen_fds(3)).
enum InheritedSocket {
    /// Where they begin.
    private static let first: CInt = 3

    /// The descriptor; `nil` where none was given to this process. What is given to other processes
    /// it starts is not this one's, so it is not inherited further.
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
                "The descriptor given by LISTEN_FDS is no listening socket; use ListenStream and "
                    + "Accept=no in the socket unit.", status: .configuration)
        }
        return first
    }

    /// How many were given to the process of that number; `nil` where none were.
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
