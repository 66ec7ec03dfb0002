import CCrypto
import Foundation
import Glibc
import TestSupport

/// The loop over connections: what honest clients of HTTP/1, HTTP/2 and TLS send, changed, to an engine
/// in this process. It must end every connection, answer whole or not at all, and keep nothing.
final class ConnectionRun: Sendable {
    /// Inputs between two honest clients.
    private static let honestEvery = 250

    private let loop: FuzzLoop
    private let engine: FuzzedEngine
    private let http1: Mutator
    private let http2: Mutator

    init(_ options: FuzzOptions, _ current: String) throws {
        loop = try FuzzLoop(options, current)
        engine = try FuzzedEngine()
        http1 = Mutator(ConnectionSeeds.http1, seed: options.seed)
        http2 = Mutator(ConnectionSeeds.http2, seed: options.seed)
    }

    /// Whether nothing was found.
    func run() async throws -> Bool {
        // Libraries open their files at the first use.
        try await blocking { [self] in try checkHonest() }
        await engine.allClosed()
        let files = try Self.openFiles()
        let isFine = try await loop.run("connections", sayingEvery: 20_000) { number in
            try await blocking { [self] in try attempt(number) }
        }
        await engine.allClosed()
        let left = try Self.openFiles() - files
        if left > 0 { say("FAULT: \(left) descriptors are left open") }
        await engine.stop()
        return isFine && left <= 0
    }

    private static func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private func attempt(_ number: Int) throws {
        do {
            loop.count(try play(number))
        } catch {
            loop.fault(number, "\(error)")
        }
        if number % Self.honestEvery == 0 { try checkHonest() }
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private func play(_ number: Int) throws -> String {
        var random = SeededGenerator(input: number, of: loop.options.seed)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: return try playHTTP1(http1.input(number), number, &random)
        case 3..<6: return try playHTTP2(http2.input(number), number, &random)
        case 6: return try playTLS(number, &random)
        default: return try playOther(http1.input(number), number)
        }
    }

    // MARK: The protocols

    /// Sends changed requests in a few pieces. The engine answers some of them, each whole.
    private func playHTTP1(
        _ input: [UInt8], _ number: Int, _ random: inout SeededGenerator
    ) throws -> String {
        guard !input.isEmpty else { return "empty" }
        loop.keep(number, input)
        let socket = try PeerSocket(port: engine.plainPort)
        try sendPieces(input + ConnectionSeeds.last, &random) { try? socket.send($0) }
        var bytes: [UInt8] = []
        while Self.hasBytes(socket) {
            let more = try socket.receiveOnce()
            bytes += more
            if more.isEmpty { break }
        }
        socket.finish()
        let (answers, rest) = RawAnswer.split(bytes + (try socket.receiveAll()))
        guard rest.isEmpty, answers.allSatisfy({ (100..<600).contains($0.status) }) else {
            throw Fault(description: "\(rest.count) bytes of a response that is cut off")
        }
        return answers.isEmpty ? "HTTP/1: nothing" : "HTTP/1: answers"
    }

    /// Sends changed frames after an honest handshake. What the engine answers are whole frames.
    private func playHTTP2(
        _ input: [UInt8], _ number: Int, _ random: inout SeededGenerator
    ) throws -> String {
        loop.keep(number, input)
        let peer = try TLSPeer(port: engine.securePort, TLSOffer(engine.authority.file, ["h2"]))
        try sendPieces(ConnectionSeeds.preface + input, &random) { try? peer.send($0) }
        var bytes: [UInt8] = []
        var (isOpen, isFinished) = (true, false)
        while isOpen {
            if !isFinished, !Self.hasBytes(peer.socket) {
                peer.finish()
                peer.socket.finish()
                isFinished = true
            }
            // A server that closes drops what it has not read, and its client gets a reset.
            let more = (try? peer.receiveRecord()) ?? []
            bytes += more
            isOpen = !more.isEmpty
        }
        let frames = try FrameWalk(bytes)
        if frames.hasFarewell { return "HTTP/2: GOAWAY" }
        return frames.answers > 0 ? "HTTP/2: answers" : "HTTP/2: nothing"
    }

    /// Changes one flight of an otherwise honest TLS client.
    private func playTLS(
        _ number: Int, _ random: inout SeededGenerator
    ) throws -> String {
        let version = Bool.random(using: &random) ? TLS1_3_VERSION : TLS1_2_VERSION
        let flight = Int.random(in: 0..<3, using: &random)
        let client = try MangledTLSClient(
            port: engine.securePort, version: version, flight: flight
        ) { [loop] bytes in
            let mangled = Mutator([bytes], seed: loop.options.seed).input(number)
            loop.keep(number, mangled)
            return mangled
        }
        return try client.run(ConnectionSeeds.http1[0]) ? "TLS: agreed" : "TLS: refused"
    }

    /// Sends the bytes of one protocol to the port of the other.
    private func playOther(_ input: [UInt8], _ number: Int) throws -> String {
        guard !input.isEmpty else { return "empty" }
        loop.keep(number, input)
        let socket = try PeerSocket(port: engine.securePort)
        try? socket.send(input)
        socket.finish()
        _ = try socket.receiveAll()
        return "the other port"
    }

    /// Whether bytes, or the end, arrive soon. After that the server waits for its client.
    private static func hasBytes(_ socket: PeerSocket) -> Bool {
        var one = pollfd(fd: socket.file, events: Int16(POLLIN), revents: 0)
        return poll(&one, 1, 5) > 0
    }

    private func sendPieces(
        _ bytes: [UInt8], _ random: inout SeededGenerator, _ send: ([UInt8]) throws -> Void
    ) throws {
        let cuts = (0..<Int.random(in: 0...3, using: &random))
            .map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
        for (from, to) in zip([0] + cuts, cuts + [bytes.count]) where from < to {
            try send(Array(bytes[from..<to]))
        }
    }

    // MARK: Honest clients

    /// The engine still answers clients that keep to the protocols.
    private func checkHonest() throws {
        let plain = try PeerSocket(port: engine.plainPort)
        for request in ConnectionSeeds.http1.dropLast(2) { try plain.send(request) }
        try plain.send(ConnectionSeeds.last)
        try check(plain.receiveAll(), count: 19)
        let secure = try TLSPeer(
            port: engine.securePort, TLSOffer(engine.authority.file, ["http/1.1"]))
        try secure.send(ConnectionSeeds.http1[3] + ConnectionSeeds.last)
        try check(secure.receive(), count: 5)
        let modern = try TLSPeer(
            port: engine.securePort, TLSOffer(engine.authority.file, ["h2"]))
        let session = HTTP2ClientSession()
        for path in ["/t/a", "/x"] { _ = session.ask(path) }
        var answers: [HTTP2Received.Stream] { Array(session.received.value.streams.values) }
        while answers.count(where: \.isEnded) < 2 {
            try modern.send(session.output())
            let bytes = try modern.receiveRecord()
            if bytes.isEmpty { break }
            session.receive(bytes)
        }
        guard answers.map(\.status) == [200, 200], answers.allSatisfy(\.isEnded) else {
            throw Fault(description: "an honest HTTP/2 client got \(answers)")
        }
    }

    private func check(_ bytes: [UInt8], count: Int) throws {
        let (answers, rest) = RawAnswer.split(bytes)
        let statuses = answers.map(\.status).filter { $0 != 100 }
        guard statuses.count == count, rest.isEmpty,
            statuses.allSatisfy({ (200..<400).contains($0) || $0 == 413 })
        else { throw Fault(description: "an honest HTTP/1.1 client got \(statuses)") }
    }
}

/// The frames that a server has sent (RFC 9113, section 4.1).
private struct FrameWalk {
    private(set) var answers = 0
    private(set) var hasFarewell = false

    /// - Throws: ``ConnectionRun/Fault`` if the last frame is not whole, or a head has no end.
    init(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        var openHead: UInt8?
        while !rest.isEmpty {
            let head = Array(rest.prefix(9))
            let count = head.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            guard head.count == 9, rest.count >= 9 + count else {
                throw ConnectionRun.Fault(description: "a frame that is cut off")
            }
            let (type, flags) = (head[3], head[4])
            guard (type == 9) == (openHead != nil) else {
                throw ConnectionRun.Fault(description: "a head that is cut off")
            }
            if type == 1 || type == 9 { openHead = flags & 4 == 0 ? type : nil }
            if type == 1 { answers += 1 }
            if type == 7 { hasFarewell = true }
            rest = rest.dropFirst(9 + count)
        }
        if openHead != nil { throw ConnectionRun.Fault(description: "a head that is cut off") }
    }
}
