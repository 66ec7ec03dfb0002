import Synchronization

/// Names a request of a loop: what has become of it meanwhile is checked when a letter arrives.
struct Address: Sendable, Equatable {
    var file: CInt
    /// Tells connections apart that had the same descriptor.
    var connection: Int
    /// Tells the requests and reads of the loop apart.
    var request: Int
}

/// What other threads have for the requests of a loop. Any thread posts, the loop takes. The loop is woken
/// once for all letters that it has not taken.
final class Mailbox: Sendable {
    struct Letter: Sendable {
        var address: Address
        var content: Content

        /// Answers a sender whose request is gone.
        func refuse() {
            switch content {
            case .wantsBody(_, let reader): reader.resume(returning: .broken)
            case .piece(_, isLast: _, let writer): writer.resume(returning: false)
            case .readEnded, .response, .head, .failure: break
            }
        }
    }

    enum Content: Sendable {
        /// A read from the disk.
        case readEnded
        case wantsBody(limit: Int, CheckedContinuation<RequestBody, Never>)
        /// A whole response.
        case response(ResponseHead, HeldBody)
        /// The head of a response whose body follows in pieces.
        case head(ResponseHead, hasLength: Bool)
        /// The writer gets true once the socket has taken the bytes, and false if it never will.
        case piece([UInt8], isLast: Bool, CheckedContinuation<Bool, Never>)
        /// The rest of the response can't be sent.
        case failure
    }

    /// Nil once the loop has ended.
    private let letters = Mutex<[Letter]?>([])
    private let wake: @Sendable () -> Void

    /// - Parameter wake: wakes the loop.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    func post(_ content: Content, to address: Address) {
        let letter = Letter(address: address, content: content)
        let isFirst: Bool? = letters.withLock { letters in
            letters?.append(letter)
            return letters.map { $0.count == 1 }
        }
        switch isFirst {
        case true?: wake()
        case false?: break
        case nil: letter.refuse()
        }
    }

    func take() -> [Letter] {
        letters.withLock { letters in
            guard let taken = letters else { return [] }
            letters = []
            return taken
        }
    }

    /// Takes no further letters.
    func close() {
        let left = letters.withLock { letters in
            defer { letters = nil }
            return letters ?? []
        }
        for letter in left { letter.refuse() }
    }
}

/// The connection of a request to its responder's task. Any thread.
package struct RequestWork: Sendable {
    let mailbox: Mailbox
    let address: Address

    /// Names the connection of the request among those that are open.
    package var connection: Int { Int(address.file) << 32 | address.connection & 0xffff_ffff }

    /// Returns the body once it is complete. A client that waits for a 100 response gets it. Called once.
    package func body(upTo limit: Int) async -> RequestBody {
        await withCheckedContinuation { reader in
            mailbox.post(.wantsBody(limit: limit, reader), to: address)
        }
    }

    /// Sends a whole response.
    package func respond(_ head: ResponseHead, _ body: HeldBody) {
        mailbox.post(.response(head, body), to: address)
    }

    /// Begins a response whose body follows.
    ///
    /// - Parameter hasLength: whether the head has the length of the body. Without it the body ends with its
    ///   last chunk, or with the connection.
    package func begin(_ head: ResponseHead, hasLength: Bool) {
        mailbox.post(.head(head, hasLength: hasLength), to: address)
    }

    /// Sends a piece of the body. Returns when the connection takes more, or false if the client is gone.
    package func write(_ bytes: [UInt8], isLast: Bool) async -> Bool {
        await withCheckedContinuation { writer in
            mailbox.post(.piece(bytes, isLast: isLast, writer), to: address)
        }
    }

    /// Closes the connection, because the rest of the response can't be sent.
    package func fail() { mailbox.post(.failure, to: address) }
}

/// The body of a request.
package enum RequestBody: Sendable {
    case whole([UInt8])
    case tooLong
    /// The body is incomplete or its framing is broken.
    case broken
}
