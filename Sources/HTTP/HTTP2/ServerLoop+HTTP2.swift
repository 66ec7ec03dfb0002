import CLinux
import Glibc

/// HTTP/2 connections.
extension ServerLoop {
    /// Begins HTTP/2 on a connection that has agreed on it. It is neither mute nor idle from now
    /// on.
    mutating func beginHTTP2(_ file: CInt) -> HTTP2Connection? {
        do throws(HTTP2Session.Failure) {
            let connection = try HTTP2Connection(
                file, connections.number(file), spares,
                maxHeadBytes: context.limits.maxHeadBytes, at: now)
            connections.pause(file)
            modern[file] = connection
            if stoppingSince != nil { connection.quiesce(at: now) }
            return connection
        } catch {
            end(file)
            return nil
        }
    }

    /// Reads and answers what has arrived, and sends what the socket takes.
    ///
    /// - Parameter isEnd: whether the client is known to send nothing more.
    mutating func advance(_ connection: HTTP2Connection, isEnd: Bool = false) {
        connection.isEager = false
        let transport = connections.transport(connection.file)
        let count = transport.receive(input)
        if count < 0, errno != EAGAIN, errno != EINTR { return end(connection.file) }
        // A client that closes its end counts as gone. It could not enlarge windows any more.
        if count == 0 { return end(connection.file) }
        if count > 0 { receive(UnsafeRawBufferPointer(rebasing: input[..<count]), connection) }
        guard modern[connection.file] === connection else { return }
        if count == input.count || isEnd || transport.isAtEnd { continueLater(connection) }
        send(connection)
    }

    /// Takes bytes of a connection. The caller sends next.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, _ connection: HTTP2Connection) {
        connection.receive(bytes, &answers, at: now)
        // Resets are written first, so that no work begins for a stream that the same bytes have broken.
        if connection.hasDemands { send(connection) }
        meet(connection)
    }

    private mutating func continueLater(_ connection: HTTP2Connection) {
        if !connection.isEager { eager.append(connection.file) }
        connection.isEager = true
    }

    /// Sends what the socket takes.
    mutating func send(_ connection: HTTP2Connection) {
        switch connection.send(connections.transport(connection.file), output) {
        case .sent, .full: break
        case .more: continueLater(connection)
        case .broken: return end(connection.file)
        case .ended: return leave(connection)
        }
        fetch(connection)
        list(connection)
        // Reports what has arrived, and room for more, from now on.
        watch(connection.file, for: .both)
    }

    /// Closes a connection whose last frame is sent. The client gets time to read it.
    private mutating func leave(_ connection: HTTP2Connection) {
        modern[connection.file] = nil
        connection.end()
        linger(self.connection(connection.file))
    }

    /// Puts a connection into the list of idle ones, or takes it out.
    private mutating func list(_ connection: HTTP2Connection) {
        let file = connection.file
        if connection.isIdle {
            connections.recordServed(file, isPaused: !connection.isListed, at: now)
            if !connection.isListed { connections.resume(file, at: now) }
        } else if connection.isListed {
            connections.pause(file)
        }
        connection.isListed = connection.isIdle
    }

    // MARK: Requests

    /// Requests of a connection that wait for the disk. Further ones are responders'.
    private static let maxReads = 16

    /// Meets the demands of requests.
    private mutating func meet(_ connection: HTTP2Connection) {
        for demand in connection.takeDemands() {
            switch demand {
            case .responder(let stream, let head): respond(head, stream, connection)
            case .read(let stream): park(stream, connection)
            case .refusal(let stream, let refusal, let head):
                refuse(refusal, head, stream, connection)
            }
        }
    }

    private mutating func respond(
        _ head: RequestHead, _ stream: HTTP2Stream, _ connection: HTTP2Connection
    ) {
        guard stream.isOpen else { return }
        guard context.responders.take() else {
            return refuse(.overloaded, head, stream, connection)
        }
        let request = IncomingRequest(
            head: head, isVersion10: false, client: SocketName.peer(connection.file))
        stream.task = answer(address(stream, connection)) { request }
    }

    /// Returns the address of a stream's request or read. Its number is new, so letters for earlier ones are
    /// refused.
    private mutating func address(
        _ stream: HTTP2Stream, _ connection: HTTP2Connection
    ) -> Address {
        let number = nextNumber()
        stream.number = number
        return Address(file: connection.file, connection: connection.number, request: number)
    }

    private mutating func park(_ stream: HTTP2Stream, _ connection: HTTP2Connection) {
        guard stream.isOpen, let wait = stream.wait else { return }
        guard connection.streams.values.count(where: { $0.wait != nil }) <= Self.maxReads else {
            stream.wait = nil
            return respond(wait.head, stream, connection)
        }
        wait.disk.read.start { [mailbox, address = address(stream, connection)] in
            mailbox.post(.readEnded, to: address)
        }
    }

    private mutating func refuse(
        _ refusal: RequestRefusal, _ head: RequestHead, _ stream: HTTP2Stream,
        _ connection: HTTP2Connection
    ) {
        context.counters.refused.add()
        let start = Array("\(head.method) \(head.target)".utf8.prefix(Self.loggedBytes))
        let (head, body) = context.responder.refuse(
            refusal, start: start, client: SocketName.peer(connection.file))
        connection.respond(head, body, on: stream)
    }

    /// Starts to read what streams need from the disk.
    private mutating func fetch(_ connection: HTTP2Connection) {
        for stream in connection.streams.values where stream.wantsRead && stream.number == nil {
            stream.fetch { [mailbox, address = address(stream, connection)] in
                mailbox.post(.readEnded, to: address)
            }
        }
    }

    // MARK: Letters

    /// Takes what another thread has for a request. It is dropped if the request is gone.
    mutating func receive(_ letter: Mailbox.Letter, _ connection: HTTP2Connection) {
        guard connection.number == letter.address.connection,
            let stream = connection.stream(letter.address.request)
        else { return letter.refuse() }
        switch letter.content {
        case .readEnded where stream.wait != nil:
            connection.resume(stream, &answers)
            meet(connection)
        case .readEnded: connection.fetchEnded(stream)
        case .wantsBody(let limit, let reader):
            connection.read(stream, upTo: limit, reader, at: now)
        case .response(let head, let body):
            connection.respond(head, body, on: stream)
        case .head(let head, _): connection.begin(head, on: stream)
        case .piece(let bytes, let isLast, let writer):
            connection.write(bytes, isLast: isLast, on: stream, writer)
        case .failure: connection.fail(stream)
        }
        send(connection)
    }

    // MARK: Limits

    /// Checks a connection at a tick.
    mutating func check(_ connection: HTTP2Connection) {
        let transport = connections.transport(connection.file)
        if connection.isCutOff(transport, context, at: now) { return end(connection.file) }
        send(connection)
    }

    /// Sends GOAWAY.
    mutating func quiesce(_ connection: HTTP2Connection) {
        connection.quiesce(at: now)
        send(connection)
    }
}
