import CLinux
import Foundation
import Glibc

/// Accepts the connections of an origin, on a thread of its own.
final class OriginListener: Sendable {
    /// Open once nothing listens any more.
    let closed = Gate()
    private let wake: CInt

    init(_ port: LoopbackPort, _ tls: TLSServer?, _ state: OriginState) throws {
        let file = try port.socket()
        _ = fcntl(file, F_SETFL, O_NONBLOCK)
        guard listen(file, 1_024) == 0 else {
            let code = errno
            Glibc.close(file)
            throw LoopbackPort.Failure(code: code)
        }
        wake = vitrine_eventfd()
        let (wake, closed) = (dup(wake), closed)
        Thread.detachNewThread {
            var files = [file, wake].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while true {
                poll(&files, 2, -1)
                if files[1].revents != 0 { break }
                let connection = vitrine_accept(file)
                if connection >= 0 { Self.serve(connection, tls, state) }
            }
            // A child that another test starts at this moment has a copy, which would still listen.
            shutdown(file, CInt(SHUT_RDWR))
            Glibc.close(file)
            Glibc.close(wake)
            closed.open()
        }
    }

    deinit { Glibc.close(wake) }

    /// Stops listening. Idempotent.
    func close() {
        var one: UInt64 = 1
        _ = write(wake, &one, MemoryLayout<UInt64>.size)
    }

    private static func serve(_ file: CInt, _ tls: TLSServer?, _ state: OriginState) {
        var yes: CInt = 1
        setsockopt(
            file, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
        let remote = ConnectionLoop.Remote()
        guard let number = state.open(remote) else {
            Glibc.close(file)
            return
        }
        ConnectionLoop.start(file, remote) {
            tls.map { $0.transport(file) } ?? LoopTransport(file)
        } user: { loop in
            OriginConnection(state, number: number, loop)
        }
    }
}
