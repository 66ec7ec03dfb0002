import CLinux
import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import HTTP

/// Serves TLS connections on one thread, one context after the other, as its clients ask: each line
/// of theirs is an order.
///
/// | order | what it does |
/// | --- | --- |
/// | `say TEXT` | sends the text, in two parts |
/// | `body N` | sends N bytes of memory |
/// | `file N` | sends the first N bytes of the file |
/// | `finish` | says that nothing more is sent |
/// | `leave` | does so, and closes the socket |
final class PlayedTLSServer: Sendable {
    struct Report: Sendable {
        var fault: TLSFault?
        /// Whether the client's end was seen.
        var hasEnded = false
        var isOpen = true
    }

    let file: PlayedFile
    let port: Int
    /// By the order in which they were accepted.
    let connections = Watched<[Report]>([])
    private let socket: ListeningSocket
    private let isStopped = Atomic(false)
    private let hasStopped = Gate()

    init(_ identity: TLSIdentity) throws {
        file = try PlayedFile(count: 1 << 20)
        socket = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 16)
        port = socket.port
        Thread.detachNewThread { [self] in
            run(identity)
            hasStopped.open()
        }
    }

    func stop() async {
        isStopped.store(true, ordering: .releasing)
        // Wakes the thread.
        _ = try? PeerSocket(port: port).send([0])
        await hasStopped.wait()
        close(socket.descriptor)
    }

    private func run(_ identity: TLSIdentity) {
        var all: [Served] = []
        var context: TLSContext?
        while !isStopped.load(ordering: .acquiring) {
            var waits = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
            waits += all.map {
                pollfd(
                    fd: $0.isOpen ? $0.socket : -1,
                    events: Int16($0.queue.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
            }
            poll(&waits, nfds_t(waits.count), -1)
            for (one, wait) in zip(all, waits.dropFirst()) where wait.revents != 0 {
                one.advance(file)
                connections.change { $0[one.number] = one.report }
            }
            let accepted = vitrine_accept(socket.descriptor)
            guard accepted >= 0 else { continue }
            if context?.version != identity.version { context = try? identity.context() }
            if let context,
                let one = Served(accepted, TLSTransport(context, socket: accepted), all.count)
            {
                all.append(one)
                connections.change { $0.append(one.report) }
            }
        }
        for one in all { one.end() }
    }

    /// One connection. Belongs to the server's thread.
    private final class Served {
        enum Part {
            case bytes([[UInt8]])
            case file(Int)
        }

        let socket: CInt
        let number: Int
        private let transport: TLSTransport
        private(set) var queue: [Part] = []
        private var offset = 0
        private var line: [UInt8] = []
        private var isLeaving = false
        private(set) var report = Report()

        init?(_ socket: CInt, _ transport: TLSTransport?, _ number: Int) {
            guard let transport else { return nil }
            (self.socket, self.transport, self.number) = (socket, transport, number)
        }

        var isOpen: Bool { report.isOpen }

        func end() {
            if isOpen { close(socket) }
            report.isOpen = false
        }

        func advance(_ file: PlayedFile) {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 40_000, alignment: 1)
            defer { room.deallocate() }
            while isOpen, !report.hasEnded {
                let count = transport.receive(room)
                if count < 0, errno == EAGAIN { break }
                guard count >= 0 else { return fail() }
                if count == 0 { report.hasEnded = true }
                take(room.prefix(count))
                if count < room.count, !transport.isAtEnd { break }
            }
            send(file)
        }

        private func fail() {
            report.fault = transport.fault
            end()
        }

        private func take(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                if byte == UInt8(ascii: "\n") {
                    obey(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }

        private func obey(_ order: String) {
            let words = order.split(separator: " ", maxSplits: 1).map(String.init)
            let number = words.dropFirst().first.flatMap { Int($0) } ?? 0
            switch words.first {
            case "say": queue.append(.bytes([Array("<".utf8), Array(words[1].utf8 + [0x3e])]))
            case "body": queue.append(.bytes([Self.pattern(number)]))
            case "file": queue.append(.file(number))
            case "finish": transport.finish()
            case "leave": isLeaving = true
            default: break
            }
        }

        static func pattern(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        }

        private func send(_ file: PlayedFile) {
            while let first = queue.first {
                let (taken, isWhole): (Int, Bool)
                switch first {
                case .bytes(let parts):
                    taken = send(parts)
                    isWhole = offset + taken == parts.reduce(0) { $0 + $1.count }
                case .file(let count):
                    taken = transport.sendFile(file.descriptor, at: offset, count - offset)
                    isWhole = offset + taken == count
                }
                if taken < 0, errno == EAGAIN { return }
                guard taken > 0 else { return fail() }
                offset += taken
                guard isWhole else { continue }
                queue.removeFirst()
                offset = 0
            }
            if isLeaving {
                transport.finish()
                end()
            }
        }

        private func send(_ parts: [[UInt8]]) -> Int {
            var skipped = offset
            var rest: [[UInt8]] = []
            for part in parts {
                let taken = min(skipped, part.count)
                skipped -= taken
                if taken < part.count { rest.append(Array(part[taken...])) }
            }
            let pointers = rest.map { part in
                let copy = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: part.count, alignment: 1)
                copy.copyBytes(from: part)
                return iovec(iov_base: copy.baseAddress, iov_len: copy.count)
            }
            defer { for pointer in pointers { pointer.iov_base.deallocate() } }
            return transport.send(pointers, pointers.count, more: false)
        }
    }
}
