import NIOCore

/// The outlet of a response: an HTTP/1.1 connection or an HTTP/2 stream. On its event loop only.
protocol ReplyOutlet: AnyObject {
    var channel: any Channel { get }
    func sendRaw(_ bytes: [UInt8])
    func sendHead(_ reply: OriginReply)
    func sendBody(_ bytes: ArraySlice<UInt8>, of reply: OriginReply)
    /// The answer is complete.
    func finish(_ reply: OriginReply)
    func close()
    func reset()
}

/// Plays one reply as its script says. On the outlet's event loop only.
final class ReplyWriter {
    private let reply: OriginReply
    private let outlet: any ReplyOutlet
    /// Called before the last bytes are sent: once they are out, a client may ask again at once, on
    /// another thread.
    private let ended: () -> Void
    private var rest: ArraySlice<UInt8>

    init(_ reply: OriginReply, to outlet: any ReplyOutlet, ended: @escaping () -> Void) {
        self.reply = reply
        self.outlet = outlet
        self.ended = ended
        rest = reply.body.prefix(reply.sent ?? reply.body.count)
    }

    func start() {
        guard let gate = reply.gate else { return begin() }
        let loop = outlet.channel.eventLoop
        let me = NIOLoopBound(self, eventLoop: loop)
        gate.whenOpen { loop.execute { me.value.begin() } }
    }

    private func begin() {
        guard outlet.channel.isActive, !reply.isSilent else { return }
        if let raw = reply.raw {
            ended()
            outlet.sendRaw(raw)
            return outlet.close()
        }
        if rest.isEmpty { ended() }
        outlet.sendHead(reply)
        proceed()
    }

    private func proceed() {
        guard outlet.channel.isActive else { return }
        let piece = rest.prefix(reply.drip?.bytes ?? rest.count)
        rest = rest.dropFirst(piece.count)
        if rest.isEmpty { ended() }
        if !piece.isEmpty { outlet.sendBody(piece, of: reply) }
        if let drip = reply.drip, !rest.isEmpty {
            outlet.channel.eventLoop.assumeIsolated()
                .scheduleTask(in: TimeAmount(drip.every)) { self.proceed() }
            return
        }
        switch reply.ending {
        case .keepsConnection: outlet.finish(reply)
        case .closes:
            if reply.sent == nil { outlet.finish(reply) }
            outlet.close()
        case .resets: outlet.reset()
        }
    }
}
