import Glibc
import NIOCore

/// Does something to a connection; one that its other side has closed meanwhile counts as done.
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
