import Glibc
import NIOCore

/// How a connection that was handed over for a request comes back to the threads that answer hits.
extension FastPathHandler {
    /// So many hits in a row, and nothing else, are worth the way back.
    private static let enoughHits = 4

    func giveBackIfWorthwhile(_ context: ChannelHandlerContext) {
        guard hitsInARow >= Self.enoughHits, mode == .open, loop.giveBack != nil else { return }
        hitsInARow = 0
        // Not within the channel's own call: it may be about to read on.
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { handler.value.giveBack() }
    }

    /// Where nothing is under way on the connection: what has not been read yet waits in the socket.
    private func giveBack() {
        guard let context, mode == .open, held.readableBytes == 0, !endsWithAnswer,
            !loop.isDraining, let giveBack = loop.giveBack,
            let socket,
            // A channel that can't tell is closed, and has nothing to give.
            (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
        else { return }
        // The channel closes its own descriptor, which leaves the connection open for this one.
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        mode = .ending
        context.close(promise: nil)
        giveBack(copy)
    }
}
