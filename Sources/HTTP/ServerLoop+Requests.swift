import CLinux
import Glibc

/// From bytes that were read to hits, responders and refusals.
extension ServerLoop {
    /// Connections of a thread that wait for the disk at most. Further requests are responders'.
    private static let maxParked = 128
    /// Bytes that connections hold behind responses under way at most. A connection with more is
    /// closed after its response.
    private static let maxHeld = 8 << 20
    /// Bytes of a request by which the log names a refused one.
    static let loggedBytes = 256

    /// Reads once, and answers. Only for connections without a response under way.
    ///
    /// - Parameter isEnd: whether the client is known to send nothing more.
    mutating func serve(_ file: CInt, isEnd: Bool = false) {
        let transport = connections.transport(file)
        let isHandshake = transport.session?.isEstablished == false
        if isHandshake, !mayContinue(file) { return }
        let count = transport.receive(input)
        if isHandshake, let name = transport.session?.otherName { context.reports.otherName(name) }
        if transport.session?.isHTTP2 == true, let connection = beginHTTP2(file) {
            if count > 0 { receive(UnsafeRawBufferPointer(rebasing: input[..<count]), connection) }
            guard modern[file] === connection else { return }
            return advance(connection, isEnd: isEnd)
        }
        if count < 0, errno == EAGAIN { return settle(file) }
        if count < 0, errno == EINTR { return settle(file, mayHaveMore: true) }
        guard count > 0 else {
            if count == 0 { transport.endSession() }
            return end(file)
        }
        let bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
        if let connection = busy[file], !connection.inbound.isEmpty {
            resume(connection, with: bytes)
        } else {
            process(bytes, of: file)
        }
        let isEnd = isEnd || transport.isAtEnd
        settle(file, mayHaveMore: isEnd || count == input.count, isEnd: isEnd)
    }

    /// Steps of handshakes in a round. One takes up to a millisecond, and responses wait for it.
    private static let maxHandshakes = 4

    /// Returns whether a handshake can continue in this round. It waits for the next one if there were
    /// too many.
    private mutating func mayContinue(_ file: CInt) -> Bool {
        handshakes += 1
        guard handshakes > Self.maxHandshakes else { return true }
        eager.append(file)
        return false
    }

    /// Waits for more of a connection.
    private mutating func settle(_ file: CInt, mayHaveMore: Bool = false, isEnd: Bool = false) {
        guard connections.contains(file) else { return }
        if let connection = busy[file] {
            connection.hasUnread = mayHaveMore
            if isEnd, connection.exchange != nil { return readBody(connection, isEnd: true) }
            guard case .open = connection.state, connection.output.isEmpty else { return }
        }
        if readsOn(file), mayHaveMore { eager.append(file) }
    }

    /// Has what arrives reported. Returns whether bytes that have arrived already are not reported.
    mutating func readsOn(_ file: CInt) -> Bool {
        if connections.interest(file) == .reading { return true }
        watch(file, for: .reading)
        // What a session has decrypted is not reported.
        return connections.contains(file) && connections.transport(file).session != nil
    }

    /// Answers kept bytes and those that follow them.
    private mutating func resume(_ connection: Connection, with bytes: UnsafeRawBufferPointer) {
        var kept = takeKept(connection)
        // The head of a client that sends byte by byte is scanned once a line, not once a byte.
        let hasLine = bytes.contains(UInt8(ascii: "\n"))
        kept.append(contentsOf: bytes)
        kept.withUnsafeBytes { kept in
            guard !hasLine else { return process(kept, of: connection.file, isContinued: true) }
            switch answers.incomplete(kept) {
            case .refused(let refusal):
                refuse(refusal, connection, start: kept.prefix(Self.loggedBytes))
            default: keep(kept, connection)
            }
        }
    }

    /// Answers the requests in `bytes`. Keeps what can't be answered yet.
    ///
    /// - Parameters:
    ///   - isContinued: whether the first request has begun earlier.
    ///   - wait: what the first request waited for.
    mutating func process(
        _ bytes: UnsafeRawBufferPointer, of file: CInt, isContinued: Bool = false,
        after wait: DiskWait? = nil
    ) {
        var (rest, wait, isContinued) = (bytes, wait, isContinued)
        while true {
            let answered = answers.answer(rest, from: file, after: wait)
            wait = nil
            assert(
                (0...rest.count).contains(answered.bytes), "requests are answered that did not come"
            )
            rest = UnsafeRawBufferPointer(rebasing: rest[answered.bytes...])
            let closes = answered.closes
            let unsent = answers.send(
                connections.transport(file), more: closes || answered.part != nil)
            guard let unsent else { return end(file) }
            if answered.bytes > 0 {
                isContinued = false
                connections.recordServed(file, isPaused: busy[file] != nil, at: now)
            }
            if !unsent.isEmpty || answered.part != nil {
                guard sends(unsent, answered.part, of: file, rest, closes: closes) else { return }
                continue
            }
            if closes { return close(file, lingers: !rest.isEmpty) }
            if rest.isEmpty { return isDone(file) }
            if case .batchIsFull = answered.stop { continue }
            if let left = act(answered.stop, rest, of: file, isContinued: isContinued) {
                rest = left
                if rest.isEmpty { return isDone(file) }
                continue
            }
            return
        }
    }

    /// Ends the life of an object that holds nothing more.
    private mutating func isDone(_ file: CInt) {
        if let connection = busy[file], connection.isIdle { release(connection) }
    }

    /// Sends what the socket did not take with the batch. Returns whether all of it is sent and the
    /// connection continues.
    private mutating func sends(
        _ unsent: [SendQueue.Part], _ file: SendQueue.FilePart?, of descriptor: CInt,
        _ rest: UnsafeRawBufferPointer, closes: Bool
    ) -> Bool {
        let output = SendQueue(at: now)
        for part in unsent { output.append(part) }
        if let file { output.append(file) }
        let step = output.advance(connections.transport(descriptor))
        if step == .whole, !closes { return true }
        if step == .broken {
            end(descriptor)
            return false
        }
        if step == .whole, rest.isEmpty {
            close(descriptor, lingers: false)
            return false
        }
        let connection = connection(descriptor, output)
        let isTooMuch = heldBytes + rest.count > Self.maxHeld
        if closes || isTooMuch {
            setState(connection, .ending(lingers: !rest.isEmpty))
        } else {
            setState(connection, .open)
            keep(rest, connection)
        }
        proceed(connection, step)
        return false
    }

    /// Deals with a request that no hit answers. Returns the bytes after it if they can be answered
    /// now.
    private mutating func act(
        _ stop: HitAnswers.Stop, _ rest: UnsafeRawBufferPointer, of file: CInt, isContinued: Bool
    ) -> UnsafeRawBufferPointer? {
        switch stop {
        case .end, .batchIsFull: return rest
        case .incomplete:
            let connection = connection(file)
            let since = isContinued ? connection.since : now
            setState(connection, .open)
            connection.since = since
            keep(rest, connection)
            return nil
        case .waits(let read, let framing):
            guard parkedCount < Self.maxParked else { return respond(framing, rest, of: file) }
            park(connection(file), read, rest)
            return nil
        case .request(let framing): return respond(framing, rest, of: file)
        case .refused(let refusal):
            refuse(refusal, connection(file), start: rest.prefix(Self.loggedBytes))
            return nil
        }
    }

    private mutating func park(
        _ connection: Connection, _ read: any HitRead, _ rest: UnsafeRawBufferPointer
    ) {
        assert(
            connection.output.isEmpty, "a response waits for the disk before the last one is sent")
        let number = nextNumber()
        setState(connection, .parked(DiskWait(read), number: number))
        assert(parkedCount <= Self.maxParked, "more connections wait for the disk than may")
        keep(rest, connection)
        read.start { [mailbox, address = address(connection, number)] in
            mailbox.post(.readEnded, to: address)
        }
    }

    func address(_ connection: Connection, _ number: Int) -> Address {
        Address(file: connection.file, connection: connection.number, request: number)
    }

    /// Gives a request to a responder, or refuses it. Returns the bytes after it if they can be
    /// answered now.
    private mutating func respond(
        _ framing: RequestScan.Framing, _ rest: UnsafeRawBufferPointer, of file: CInt
    ) -> UnsafeRawBufferPointer? {
        guard context.responders.take() else {
            return refuseOverload(framing, rest, of: file)
        }
        let connection = connection(file)
        let exchange = Exchange(nextNumber(), framing, context.limits, at: now)
        exchange.closes = exchange.closes || stoppingSince != nil
        setState(connection, .answering(exchange))
        let body = UnsafeRawBufferPointer(rebasing: rest[framing.headLength...])
        let taken = exchange.take(body, at: now)
        assert((0...body.count).contains(taken), "a body takes more than came")
        let next = UnsafeRawBufferPointer(rebasing: body[taken...])
        if heldBytes + next.count > Self.maxHeld {
            exchange.closes = true
        } else {
            keep(next, connection)
        }
        let (head, client) = (Array(rest[..<framing.headLength]), SocketName.peer(file))
        exchange.task = answer(address(connection, exchange.number)) {
            IncomingRequest(
                head: RequestHead(head), isVersion10: framing.isVersion10, client: client)
        }
        // Reports a client that leaves.
        if connections.interest(file) == nil { watch(file, for: .reading) }
        return nil
    }

    /// Answers a request in a task, for which the caller has taken a place. The task is unstructured,
    /// because it lives as long as the request, which the connection ends.
    func answer(
        _ address: Address, _ request: @escaping @Sendable () -> IncomingRequest
    ) -> Task<Void, Never> {
        context.counters.responded.add()
        let work = RequestWork(mailbox: mailbox, address: address)
        return Task { [responder = context.responder, places = context.responders] in
            await responder.respond(request(), work)
            places.give()
        }
    }

    /// Refuses a request for which no responder has time. The connection stays if the request has
    /// no body. Returns the bytes after it if they can be answered now.
    private mutating func refuseOverload(
        _ framing: RequestScan.Framing, _ rest: UnsafeRawBufferPointer, of file: CInt
    ) -> UnsafeRawBufferPointer? {
        let start = rest.prefix(Self.loggedBytes)
        guard !framing.closes, framing.body == .none else {
            refuse(.overloaded, connection(file), start: start)
            return nil
        }
        let response = refusal(.overloaded, of: file, start: start, closes: false)
        connections.recordServed(file, isPaused: busy[file] != nil, at: now)
        let left = UnsafeRawBufferPointer(rebasing: rest[framing.headLength...])
        return sends([response], nil, of: file, left, closes: false) ? left : nil
    }

    /// Answers a request that can't be routed, and closes.
    ///
    /// - Parameter start: its first bytes.
    mutating func refuse(
        _ refusal: RequestRefusal, _ connection: Connection, start: some Sequence<UInt8>
    ) {
        let response = self.refusal(refusal, of: connection.file, start: start, closes: true)
        // A client that may still send gets time to read the response.
        setState(connection, .ending(lingers: true))
        _ = takeKept(connection)
        connection.output.append(response)
        flush(connection)
    }

    private func refusal(
        _ refusal: RequestRefusal, of file: CInt, start: some Sequence<UInt8>, closes: Bool
    ) -> SendQueue.Part {
        context.counters.refused.add()
        var (head, body) = context.responder.refuse(
            refusal, start: Array(start), client: SocketName.peer(file))
        head.end(closes: closes)
        return .bytes(head.bytes + body.bytes, body.hold)
    }
}
