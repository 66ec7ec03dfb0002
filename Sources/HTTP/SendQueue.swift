import CLinux
import Glibc

/// What a connection has to send, in order: heads, bodies in memory, and parts of files. Belongs to the
/// thread of its connection.
///
/// Bodies in memory are shared with the cache, and those in files go from the page cache to the socket. So
/// a client that reads slowly costs this object and the socket's buffer.
final class SendQueue {
    enum Part {
        /// What counts the bytes lives as long as they are here.
        case bytes([UInt8], (any AnyObject & Sendable)? = nil)
        /// A part of a body.
        case body(PreparedHit, Range<Int>)
        case file(FilePart)

        var count: Int {
            switch self {
            case .bytes(let bytes, _): bytes.count
            case .body(_, let range): range.count
            case .file(let part): part.range.count
            }
        }
    }

    /// A part of a body that is in a file.
    struct FilePart {
        /// Keeps the file open.
        var prepared: PreparedHit
        var file: any HitFile
        var range: Range<Int>

        /// Bytes that another thread reads at a time.
        private static let fetched = 1 << 20

        /// Starts to read what follows the first `offset` bytes of the part, and returns up to where
        /// in the file. Calls `onEnd` on another thread.
        func fetch(after offset: Int, _ onEnd: @escaping @Sendable () -> Void) -> Int {
            let start = range.lowerBound + offset
            let end = min(start + Self.fetched, range.upperBound)
            file.fetch(start..<end, onEnd)
            return end
        }
    }

    enum Step {
        case whole
        /// The socket is full.
        case full
        /// It takes more, but other connections come first.
        case more
        /// The next piece has to come from the disk: see ``SendQueue/fetch(_:)``.
        case waits
        /// The client is gone, or a file has changed.
        case broken
    }

    /// Bytes of one system call. Each is preceded by a look at the file.
    static let piece = 256 << 10
    /// Bytes until other connections come first.
    private static let turn = 512 << 10
    /// Bytes that a client takes within the send timeout, or else counts as stuck.
    static let leastProgress = 16 << 10

    /// Most parts in memory that are sent with one call: at least those of a ``SendBatch``, whose record may
    /// have begun.
    private static let maxGathered = 64

    private var parts: [Part] = []
    /// Bytes of the first part that are sent.
    private var offset = 0
    /// Bytes of the first part's file up to here were in the page cache a moment ago.
    private var cached = 0
    /// Where the parts are that are sent together; only during the call.
    private var gathered: [iovec] = []
    /// Whether the source has just found the files unchanged.
    private var isChecked = false
    /// Whether it continues in the next round.
    var isEager = false
    /// Tells its read from earlier ones; nil while no read is under way.
    var read: Int?
    /// When the client last took enough bytes, and how many were acknowledged by then; nil before the first check.
    private var progress: (time: Int, bytes: Int?)
    private var sent = 0

    /// - Parameter now: milliseconds of a monotonic clock.
    init(at now: Int) { progress = (now, nil) }

    var isEmpty: Bool { parts.isEmpty }

    func append(_ part: Part) { if part.count > 0 { parts.append(part) } }

    /// Appends a part of a file that the source has just found unchanged.
    func append(_ part: FilePart) {
        append(.file(part))
        isChecked = true
    }

    /// Sends what the socket takes, at most a turn.
    func advance(_ transport: Transport) -> Step {
        // Only for the first piece, and only if that follows at once.
        defer { isChecked = false }
        var left = Self.turn
        while let first = parts.first {
            guard left > 0 else { return .more }
            let taken: Int
            switch first {
            case .bytes, .body:
                gathered.removeAll(keepingCapacity: true)
                taken = sendGathered(transport)
            case .file(let part):
                let start = part.range.lowerBound + offset
                var count = min(Self.piece, part.range.upperBound - start, left)
                if start < cached {
                    count = min(count, cached - start)
                } else {
                    guard part.file.isCached(start..<start + count) else { return .waits }
                    cached = start + count
                }
                // Right before each piece, so that no piece of a changed file follows.
                guard isChecked || part.file.isUnchanged else { return .broken }
                isChecked = false
                taken = transport.sendFile(part.file.descriptor, at: start, count)
                // The file is shorter than it was.
                if taken == 0 { return .broken }
                if taken > 0 { part.file.countSent(taken) }
            }
            if taken < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN ? .full : .broken
            }
            sent += taken
            left -= taken
            drop(taken)
        }
        return .whole
    }

    /// Removes bytes that are sent.
    private func drop(_ count: Int) {
        offset += count
        while let first = parts.first, offset >= first.count {
            offset -= first.count
            parts.removeFirst()
            cached = 0
        }
        assert(
            parts.first.map { offset < $0.count } ?? (offset == 0), "more is sent than there was")
    }

    /// Sends the next parts that are in memory together, about a piece: a record of TLS may span them, and
    /// after EAGAIN it has to begin with the same bytes.
    private func sendGathered(_ transport: Transport, bytes: Int = 0) -> Int {
        let next = gathered.count
        if next < min(parts.count, Self.maxGathered), bytes < Self.piece {
            switch parts[next] {
            case .bytes(let part, _):
                return part.withUnsafeBytes {
                    gather($0)
                    return sendGathered(transport, bytes: bytes + $0.count)
                }
            case .body(let hit, let range):
                gather(UnsafeRawBufferPointer(rebasing: hit.body[range]))
                return sendGathered(transport, bytes: bytes + range.count)
            case .file: break
            }
        }
        return transport.send(gathered, next, more: parts.count > next)
    }

    private func gather(_ part: UnsafeRawBufferPointer) {
        let rest = gathered.isEmpty ? UnsafeRawBufferPointer(rebasing: part[offset...]) : part
        let start = UnsafeMutableRawPointer(mutating: rest.baseAddress)
        gathered.append(iovec(iov_base: start, iov_len: rest.count))
    }

    /// Starts to read what ``Step/waits`` waits for. Calls `onEnd` on another thread.
    func fetch(_ onEnd: @escaping @Sendable () -> Void) {
        guard case .file(let part)? = parts.first else { return onEnd() }
        // Sent without another look, so that a machine that is short of memory gets on.
        cached = part.fetch(after: offset, onEnd)
    }

    /// Checks at every tick. Returns whether bytes wait, here or in the kernel, and the client took next to nothing
    /// for longer than `limit` milliseconds.
    func isStuck(_ transport: Transport, at now: Int, for limit: Int) -> Bool {
        let unacknowledged = transport.unacknowledged
        let taken = sent - unacknowledged
        // Bytes of earlier responses may still be in the kernel, so the first check only looks.
        let last = progress.bytes ?? taken
        let hasTakenAll = isEmpty && unacknowledged == 0
        if hasTakenAll || read != nil || isEager || taken - last >= Self.leastProgress {
            progress = (now, max(last, taken))
            return false
        }
        progress.bytes = last
        return now - progress.time > limit
    }
}
