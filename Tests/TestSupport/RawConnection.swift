/// A TCP client that sends exactly the given bytes and collects received ones.
package final class RawConnection: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    package struct Closed: Error {}

    private let remote: ConnectionLoop.Remote
    private let state: Watched<State>

    /// With `reads: false` it never reads, like a client that hangs.
    package static func open(
        port: Int, reads: Bool = true, tls: TLSOffer? = nil
    ) async throws -> RawConnection {
        let state = Watched(State())
        let remote = try await ConnectionLoop.connect(
            to: port, room: reads ? 262_144 : 4_096, tls
        ) { loop in
            loop.reads = reads
            return Collector(state)
        }
        return RawConnection(remote, state)
    }

    private init(_ remote: ConnectionLoop.Remote, _ state: Watched<State>) {
        self.remote = remote
        self.state = state
    }

    deinit { remote.run { $0.abort() } }

    package func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) async throws {
        guard await remote.sent({ $0.send(bytes) }) != nil else { throw Closed() }
    }

    /// Starts reading on a connection that was opened without.
    package func startReading() async throws { await remote.result { $0.reads = true } }

    /// Stops reading from the socket.
    package func stopReading() async throws { await remote.result { $0.reads = false } }

    /// Closes the sending half.
    package func finish() async throws { await remote.result { $0.finish() } }

    package func close() async throws { await remote.result { $0.abort() } }

    /// Reads once on a connection that was opened without reading. Returns all received bytes once
    /// there are more.
    package func readSome() async throws -> [UInt8] {
        let count = state.value.bytes.count
        remote.run { $0.readOnce() }
        return await received { $0.count > count }
    }

    /// Closes at once and drops unsent bytes, so the server gets RST.
    package func reset() async throws { await remote.result { $0.reset() } }

    /// Returns all received bytes once they match or no more can come.
    package func received(
        where isMet: @escaping @Sendable ([UInt8]) -> Bool
    ) async -> [UInt8] {
        await state.wait { $0.isClosed || isMet($0.bytes) }.bytes
    }

    /// Returns all received bytes once the server has closed.
    package func receivedUntilClosed() async -> [UInt8] {
        await state.wait { $0.isClosed }.bytes
    }

    /// Drops all received bytes.
    package func forget() { state.change { $0.bytes = [] } }

    /// Returns `count` responses in their order; `heads` says which of them respond to HEAD.
    package func answers(_ count: Int, heads: Set<Int> = []) async -> [RawAnswer] {
        let bytes = await received { RawAnswer.parse($0, heads: heads).count >= count }
        return RawAnswer.parse(bytes, heads: heads)
    }

    private final class Collector: ConnectionUser {
        private let state: Watched<State>

        init(_ state: Watched<State>) { self.state = state }

        func received(_ bytes: [UInt8]) { state.change { $0.bytes += bytes } }
        func ended() { state.change { $0.isClosed = true } }
        func closed() { state.change { $0.isClosed = true } }
    }
}

/// An HTTP/1.1 response as received.
package struct RawAnswer: Sendable, Equatable {
    package var status: Int
    /// Fields by their names in lower case.
    package var fields: [String: String]
    package var body: [UInt8]

    /// Returns the complete responses at the start of `bytes`.
    package static func parse(_ bytes: [UInt8], heads: Set<Int> = []) -> [RawAnswer] {
        split(bytes, heads: heads).answers
    }

    /// Returns the complete responses at the start of `bytes`, and the bytes after them.
    package static func split(
        _ bytes: [UInt8], heads: Set<Int> = []
    ) -> (answers: [RawAnswer], rest: ArraySlice<UInt8>) {
        var rest = bytes[...]
        var answers: [RawAnswer] = []
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
                .split(separator: "\r\n")
            guard let first = lines.first else { break }
            var answer = RawAnswer(
                status: Int(first.split(separator: " ").dropFirst().first ?? "") ?? 0, fields: [:],
                body: [])
            for line in lines.dropFirst() {
                let halves = line.split(separator: ":", maxSplits: 1)
                guard halves.count == 2 else { continue }
                answer.fields[halves[0].lowercased()] = String(halves[1].drop { $0 == " " })
            }
            let hasBody = !heads.contains(answers.count) && answer.status != 304
            let length = hasBody ? Int(answer.fields["content-length"] ?? "") ?? 0 : 0
            guard rest.distance(from: end.upperBound, to: rest.endIndex) >= length else { break }
            answer.body = Array(rest[end.upperBound..<end.upperBound + length])
            rest = rest[(end.upperBound + length)...]
            answers.append(answer)
        }
        return (answers, rest)
    }
}
