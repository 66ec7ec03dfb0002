/// The outlet of a response: an HTTP/1.1 connection or an HTTP/2 stream. On its connection's thread only.
protocol ReplyOutlet: AnyObject {
    var loop: ConnectionLoop { get }
    /// Whether the client can still get something.
    var isOpen: Bool { get }
    func sendRaw(_ bytes: [UInt8])
    func sendHead(_ reply: OriginReply)
    func sendBody(_ bytes: ArraySlice<UInt8>, of reply: OriginReply)
    /// The answer is complete.
    func finish(_ reply: OriginReply)
    func close()
    func reset()
}

/// Plays one reply as its script says. On the outlet's thread only.
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
        outlet.loop.when(gate) { self.begin() }
    }

    private func begin() {
        guard outlet.isOpen, !reply.isSilent else { return }
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
        guard outlet.isOpen else { return }
        let piece = rest.prefix(reply.drip?.bytes ?? rest.count)
        rest = rest.dropFirst(piece.count)
        if rest.isEmpty { ended() }
        if !piece.isEmpty { outlet.sendBody(piece, of: reply) }
        if let drip = reply.drip, !rest.isEmpty {
            return outlet.loop.after(drip.every) { self.proceed() }
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
