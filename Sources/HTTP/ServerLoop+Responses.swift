import CLinux
import Glibc

/// Responses under way, and what follows them.
extension ServerLoop {
    // MARK: Letters

    /// Takes what another thread has for a request. It is dropped if the request is gone.
    mutating func receive(_ letter: Mailbox.Letter) {
        let address = letter.address
        if let connection = modern[address.file] { return receive(letter, connection) }
        guard let connection = busy[address.file], connection.number == address.connection else {
            return letter.refuse()
        }
        if case .readEnded = letter.content { return readEnded(connection, address.request) }
        guard let exchange = connection.exchange, exchange.number == address.request else {
            return letter.refuse()
        }
        switch letter.content {
        case .readEnded: break
        case .wantsBody(let limit, let reader):
            if exchange.read(upTo: limit, reader, at: now) {
                var invitation = ResponseHead.invitation
                invitation.end(closes: false)
                connection.output.append(.bytes(invitation.bytes))
                flush(connection)
                guard connection.exchange === exchange else { return }
            }
            if connection.isInputClosed { exchange.inputClosed() }
            if connection.hasUnread, exchange.wantsBytes { readBody(connection) }
        case .response(let head, let body):
            let head = begin(connection, exchange, head, hasLength: true)
            assert(!exchange.isWhole, "a request has two responses")
            connection.output.append(.bytes(head + body.bytes, body.hold))
            exchange.end()
            flush(connection)
        case .head(let head, let hasLength):
            connection.output.append(
                .bytes(begin(connection, exchange, head, hasLength: hasLength)))
            flush(connection)
        case .piece(let bytes, let isLast, let writer):
            connection.output.append(.bytes(exchange.piece(bytes, isLast: isLast, writer)))
            flush(connection)
        case .failure: end(connection.file)
        }
    }

    private func begin(
        _ connection: Connection, _ exchange: Exchange, _ head: ResponseHead, hasLength: Bool
    ) -> [UInt8] {
        exchange.begin(
            head, hasLength: hasLength, isLast: stoppingSince != nil || connection.isInputClosed)
    }

    private mutating func readEnded(_ connection: Connection, _ number: Int) {
        if case .parked(let wait, number) = connection.state {
            setState(connection, .open)
            continueOpen(connection, after: wait)
        } else if connection.output.read == number {
            connection.output.read = nil
            flush(connection)
        }
    }

    // MARK: Sending

    /// Sends what the socket takes. After the last byte the connection reads its next request.
    mutating func flush(_ connection: Connection) {
        guard connection.output.read == nil else { return }
        proceed(connection, connection.output.advance(transport(connection)))
    }

    /// - Parameter step: of its output.
    mutating func proceed(_ connection: Connection, _ step: SendQueue.Step) {
        switch step {
        case .whole: isSent(connection)
        case .broken: end(connection.file)
        case .full: watchOutput(connection)
        case .more:
            watchOutput(connection)
            if !connection.output.isEager { eager.append(connection.file) }
            connection.output.isEager = true
        case .waits:
            watchOutput(connection)
            let number = nextNumber()
            connection.output.read = number
            connection.output.fetch { [mailbox, address = address(connection, number)] in
                mailbox.post(.readEnded, to: address)
            }
        }
    }

    private mutating func watchOutput(_ connection: Connection) {
        watch(connection.file, for: connection.exchange == nil ? .sending : .both)
    }

    /// Everything written is sent.
    private mutating func isSent(_ connection: Connection) {
        assert(connection.output.isEmpty, "everything is sent but what waits")
        switch connection.state {
        case .open: continueOpen(connection)
        case .answering(let exchange):
            exchange.isSent()
            if exchange.isWhole { finish(exchange, connection) }
        case .ending(let lingers): close(connection.file, lingers: lingers)
        case .parked, .dropping, .lingering: break
        }
    }

    /// The response of a responder is sent.
    private mutating func finish(_ exchange: Exchange, _ connection: Connection) {
        connections.recordServed(connection.file, isPaused: true, at: now)
        let (body, closes) = (exchange.body, exchange.closes)
        if closes || connection.isInputClosed {
            let lingers = !body.isWhole || !connection.inbound.isEmpty || connection.hasUnread
            return close(connection.file, lingers: lingers && !connection.isInputClosed)
        }
        if body.isWhole {
            setState(connection, .open)
            return continueOpen(connection)
        }
        setState(connection, .dropping(body))
        let kept = takeKept(connection)
        kept.withUnsafeBytes { drop($0, connection) }
        if case .dropping = connection.state, connection.hasUnread { readBody(connection) }
    }

    /// Answers the requests that follow.
    ///
    /// - Parameter wait: what the first one waited for.
    private mutating func continueOpen(
        _ connection: Connection, after wait: DiskWait? = nil
    ) {
        if stoppingSince != nil, wait == nil {
            return close(connection.file, lingers: !connection.inbound.isEmpty)
        }
        let kept = takeKept(connection)
        kept.withUnsafeBytes { process($0, of: connection.file, after: wait) }
        readOn(connection)
    }

    /// Reads on after a response.
    private mutating func readOn(_ connection: Connection) {
        let file = connection.file
        guard connections.contains(file), connections.number(file) == connection.number else {
            return
        }
        if busy[file] != nil {
            guard case .open = connection.state, connection.output.isEmpty else { return }
        }
        if readsOn(file), connection.hasUnread { serve(file) }
    }

    // MARK: The rest of a request

    /// Reads bytes of a body: for its responder, or to drop them.
    ///
    /// - Parameter isEnd: whether the client is known to send nothing more.
    mutating func readBody(_ connection: Connection, isEnd: Bool = false) {
        if let exchange = connection.exchange, !exchange.wantsBytes {
            // What follows the request is read after its response.
            if isEnd { inputClosed(connection) }
            return
        }
        let count = transport(connection).receive(input)
        if count < 0, errno == EAGAIN {
            connection.hasUnread = false
            return
        }
        if count < 0, errno == EINTR { return eager.append(connection.file) }
        guard count > 0 else { return inputClosed(connection) }
        let isEnd = isEnd || transport(connection).isAtEnd
        connection.hasUnread = isEnd || count == input.count
        let bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
        switch connection.state {
        case .answering(let exchange):
            let taken = exchange.take(bytes, at: now)
            assert((0...count).contains(taken), "a body takes more than came")
            heldBytes += count - taken
            connection.inbound += bytes[taken...]
        case .dropping, .lingering: drop(bytes, connection)
        case .open, .parked, .ending: break
        }
        guard busy[connection.file] === connection, connection.hasUnread else { return }
        switch connection.state {
        case .answering:
            if isEnd { readBody(connection, isEnd: true) } else { eager.append(connection.file) }
        case .dropping, .lingering: eager.append(connection.file)
        case .open, .parked, .ending: break
        }
    }

    private mutating func drop(_ bytes: UnsafeRawBufferPointer, _ connection: Connection) {
        switch connection.state {
        case .dropping(var body):
            let count = body.take(bytes, at: now)
            let isTooMuch = body.drop(count)
            connection.state = .dropping(body)
            if body.isBroken || isTooMuch { return linger(connection) }
            guard body.isWhole else { return }
            setState(connection, .open)
            process(UnsafeRawBufferPointer(rebasing: bytes[count...]), of: connection.file)
            readOn(connection)
        case .lingering(let dropped):
            connection.state = .lingering(dropped: dropped + bytes.count)
            if dropped + bytes.count > context.limits.maxLingerBytes { end(connection.file) }
        case .open, .parked, .answering, .ending: break
        }
    }

    /// Treats a client that closes its end while it waits as gone, as nginx does. It looks the same
    /// as one that only stopped sending, and work for a client that is gone costs more.
    private mutating func inputClosed(_ connection: Connection) {
        connection.hasUnread = false
        connection.isInputClosed = true
        switch connection.state {
        case .answering(let exchange): exchange.inputClosed()
        case .open, .dropping, .lingering: end(connection.file)
        case .parked, .ending: break
        }
    }

    // MARK: Closing

    /// Closes a connection whose last response is sent. A client that may still send gets time to
    /// read the response first, because unread bytes would reset the connection.
    mutating func close(_ file: CInt, lingers: Bool) {
        guard lingers else {
            connections.transport(file).endSession()
            return end(file)
        }
        linger(connection(file))
    }

    mutating func linger(_ connection: Connection) {
        guard !connection.isInputClosed else { return end(connection.file) }
        setState(connection, .lingering(dropped: 0))
        _ = takeKept(connection)
        transport(connection).finish()
        watch(connection.file, for: .reading)
        guard busy[connection.file] === connection else { return }
        readBody(connection)
    }
}
