import CLinux
import Glibc

/// Responses that are sent with one system call. Belongs to one thread.
struct SendBatch: ~Copyable {
    /// Most responses of one call.
    private static let maxAnswers = 32
    /// A batch with this many bytes is full.
    private static let enoughBytes = 65_536
    /// Bytes for a head. It takes about 600; longer ones are a responder's.
    private static let headSize = 2_048

    private let parts: UnsafeMutablePointer<iovec>
    /// For each part the index of the entry whose body it is; -1 for a head.
    private let bodies: UnsafeMutablePointer<Int>
    private let heads: UnsafeMutableRawBufferPointer
    private var partCount = 0
    private var byteCount = 0
    private var headCount = 0
    /// Entries that the parts point into.
    private var entries: [HitEntry.Pointer] = []
    /// Where the bodies of the entries begin that are sent.
    private var starts: [Int] = []

    init() {
        parts = .allocate(capacity: 2 * Self.maxAnswers)
        bodies = .allocate(capacity: 2 * Self.maxAnswers)
        heads = .allocate(byteCount: Self.headSize * Self.maxAnswers, alignment: 64)
        entries.reserveCapacity(Self.maxAnswers)
        starts.reserveCapacity(Self.maxAnswers)
    }

    deinit {
        parts.deallocate()
        bodies.deallocate()
        heads.deallocate()
    }

    var isFull: Bool { entries.count == Self.maxAnswers || byteCount >= Self.enoughBytes }

    /// Returns false if the head doesn't fit.
    mutating func add(_ answer: HitLookup.Answer, head: UnsafeRawBufferPointer) -> Bool {
        guard head.count <= heads.count - headCount else { return false }
        let copy = UnsafeMutableRawBufferPointer(
            rebasing: heads[headCount..<headCount + head.count])
        copy.copyMemory(from: head)
        headCount += head.count
        add(UnsafeRawBufferPointer(copy), bodyOf: -1)
        // A body in a file follows the batch.
        if answer.hasBody, answer.prepared.file == nil {
            let body = answer.entry.pointee.body
            let part = answer.variant.part
            starts.append(part?.lowerBound ?? 0)
            add(
                part.map { UnsafeRawBufferPointer(rebasing: body[$0]) } ?? body,
                bodyOf: entries.count)
        } else {
            starts.append(0)
        }
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

    /// Sends and empties the batch. Returns what the socket did not take, or nil if the connection
    /// is gone.
    ///
    /// - Parameter more: whether more bytes, or the end of the connection, follow at once.
    mutating func send(_ transport: Transport, more: Bool) -> [SendQueue.Part]? {
        guard partCount > 0 else { return [] }
        defer {
            (partCount, byteCount, headCount) = (0, 0, 0)
            entries.removeAll(keepingCapacity: true)
            starts.removeAll(keepingCapacity: true)
        }
        let sent = transport.send(parts, partCount, more: more)
        if sent == byteCount { return [] }
        if sent < 0, errno != EAGAIN, errno != EINTR { return nil }
        return unsent(after: max(0, sent))
    }

    /// Bodies are shared, not copied, so a client that doesn't read costs no more than its
    /// connection.
    private func unsent(after sent: Int) -> [SendQueue.Part] {
        var sent = sent
        var unsent: [SendQueue.Part] = []
        for index in 0..<partCount {
            let part = UnsafeRawBufferPointer(
                start: parts[index].iov_base, count: parts[index].iov_len)
            let skipped = min(sent, part.count)
            sent -= skipped
            guard skipped < part.count else { continue }
            if bodies[index] < 0 {
                unsent.append(.bytes(Array(part.dropFirst(skipped))))
            } else {
                let start = starts[bodies[index]]
                unsent.append(
                    .body(
                        entries[bodies[index]].pointee.prepared,
                        start + skipped..<start + part.count))
            }
        }
        return unsent
    }
}
