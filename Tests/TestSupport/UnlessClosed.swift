import Glibc
import NIOCore

/// Runs an action on a connection. A connection that the other side has closed meanwhile is not an
/// error.
func unlessClosed(_ work: () async throws -> Void) async throws {
    do {
        try await work()
    } catch ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed,
        ChannelError.outputClosed, ChannelError.inputClosed
    {
        return
    } catch let error as IOError
        where [ENOTCONN, EPIPE, ECONNRESET, EBADF].contains(error.errnoCode)
    {
        return
    }
}
