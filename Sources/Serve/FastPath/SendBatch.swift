import CEpoll
import Glibc
import NIOCore

/// Answers that go out in one call. Lives on one thread.
struct SendBatch: ~Copyable {
    /// Answers that are sent at once, and how many bytes make it enough.
    private static let maxAnswers = 32
    private static let enoughBytes = 65_536
    /// A head takes some 600 bytes; answers whose heads take more go by an event loop.
    private static let headSize = 2_048

    private let parts: UnsafeMutablePointer<iovec>
    /// For each part the entry whose body it is; -1 for a head.
    private let bodies: UnsafeMutablePointer<Int>
    private let heads: UnsafeMutableRawBufferPointer
    private var partCount = 0
    private var byteCount = 0
    private var headCount = 0
    /// What the parts point at.
    private var entries: [HitEntry.Pointer] = []

    init() {
        parts = .allocate(capacity: 2 * Self.maxAnswers)
        bodies = .allocate(capacity: 2 * Self.maxAnswers)
        heads = .allocate(byteCount: Self.headSize * Self.maxAnswers, alignment: 64)
        entries.reserveCapacity(Self.maxAnswers)
    }

    deinit {
        parts.deallocate()
        bodies.deallocate()
        heads.deallocate()
    }

    var isFull: Bool { entries.count == Self.maxAnswers || byteCount >= Self.enoughBytes }

    /// False where the head is longer than any should be.
    mutating func add(_ answer: HitLookup.Answer, head: UnsafeRawBufferPointer) -> Bool {
        guard head.count <= heads.count - headCount else { return false }
        let copy = UnsafeMutableRawBufferPointer(
            rebasing: heads[headCount..<headCount + head.count])
        copy.copyMemory(from: head)
        headCount += head.count
        add(UnsafeRawBufferPointer(copy), bodyOf: -1)
        if answer.hasBody { add(answer.entry.pointee.body, bodyOf: entries.count) }
        entries.append(answer.entry)
        return true
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer, bodyOf entry: Int) {
        parts[partCount] = iovec(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        bodies[partCount] = entry
        partCount += 1
        byteCount += bytes.count
    }

    /// Empties it. Returns what the socket did not take; `nil` where the connection is gone.
    mutating func send(_ socket: CInt, isLast: Bool) -> [ByteBuffer]? {
        guard partCount > 0 else { return [] }
        defer {
            (partCount, byteCount, headCount) = (0, 0, 0)
            entries.removeAll(keepingCapacity: true)
        }
        let sent = vitrine_send(socket, parts, partCount, isLast)
        if sent == byteCount { return [] }
        if sent < 0, errno != EAGAIN, errno != EINTR { return nil }
        return unsent(after: max(0, sent))
    }

    /// Bodies are shared, not copied: a client that does not read costs no more than its connection.
    private func unsent(after sent: Int) -> [ByteBuffer] {
        var sent = sent
        var unsent: [ByteBuffer] = []
        for index in 0..<partCount {
            let part = UnsafeRawBufferPointer(
                start: parts[index].iov_base, count: parts[index].iov_len)
            let skipped = min(sent, part.count)
            sent -= skipped
            guard skipped < part.count else { continue }
            if bodies[index] < 0 {
                unsent.append(ByteBuffer(bytes: part.dropFirst(skipped)))
            } else {
                var body = entries[bodies[index]].pointee.prepared.body
                body.moveReaderIndex(forwardBy: skipped)
                unsent.append(body)
            }
        }
        return unsent
    }
}
