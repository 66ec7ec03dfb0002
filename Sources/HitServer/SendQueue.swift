import CLinux
import Glibc

/// A response that is sent from its file, piece by piece. Belongs to the thread of its connection.
///
/// The bytes go from the page cache to the socket, so a client that reads slowly costs this object and
/// the socket's buffer.
final class FileSend {
    enum Step {
        case whole
        /// The socket is full.
        case full
        /// It takes more, but other connections come first.
        case more
        /// The next piece has to come from the disk: see ``FileSend/wanted``.
        case waits
        /// The client is gone, or the file has changed.
        case broken
    }

    /// Bytes of one system call. Each is preceded by a look at the file.
    private static let piece = 256 << 10
    /// Bytes until other connections come first.
    private static let turn = 512 << 10
    /// Bytes that another thread reads at a time.
    private static let fetched = 1 << 20
    /// Bytes that a client takes within the send timeout, or else counts as stuck.
    static let leastProgress = 16 << 10

    /// A part of a body that is in a file.
    struct Part {
        /// Keeps the file open.
        var prepared: PreparedHit
        var file: any HitFile
        var range: Range<Int>
    }

    private let part: Part
    /// What precedes the file and the socket has not taken.
    private var unsent: ArraySlice<Handover.Unsent>
    /// Bytes of the file up to here are sent.
    private var offset: Int
    /// Bytes of the file up to here were in the page cache a moment ago.
    private var cached: Int
    /// Whether the connection closes after the response.
    var closes: Bool
    /// Whether the source has just found the file unchanged.
    private var isChecked = true
    /// Requests that follow.
    var inbound: [UInt8] = []
    /// Whether it continues in the next round.
    var isEager = false
    /// Tells its reads from earlier ones; nil while no read is under way.
    var read: Int?
    /// When the client last took enough bytes, and how many were acknowledged by then.
    private var progress: (time: Int, bytes: Int)
    private var sent = 0

    /// - Parameters:
    ///   - part: of a file that the source has just found unchanged.
    ///   - now: milliseconds of a monotonic clock.
    init(_ part: Part, after unsent: [Handover.Unsent], closes: Bool, at now: Int) {
        self.part = part
        self.unsent = unsent[...]
        self.closes = closes
        offset = part.range.lowerBound
        cached = offset
        progress = (now, 0)
    }

    /// Sends what the socket takes, at most a turn.
    func advance(_ socket: CInt) -> Step {
        // Only for the first piece, and only if that follows at once.
        defer { isChecked = false }
        guard sendUnsent(socket) else {
            return errno == EAGAIN ? .full : .broken
        }
        var left = Self.turn
        while offset < part.range.upperBound {
            guard left > 0 else { return .more }
            var count = min(Self.piece, part.range.upperBound - offset, left)
            if offset < cached {
                count = min(count, cached - offset)
            } else {
                guard part.file.isCached(offset..<offset + count) else { return .waits }
                cached = offset + count
            }
            // Right before each piece, so that no piece of a changed file follows.
            guard isChecked || part.file.isUnchanged else { return .broken }
            isChecked = false
            let taken = vitrine_send_file(socket, part.file.descriptor, offset, count)
            if taken < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN ? .full : .broken
            }
            // The file is shorter than it was.
            if taken == 0 { return .broken }
            offset += taken
            sent += taken
            left -= taken
            part.file.countSent(taken)
        }
        return .whole
    }

    /// Sends what precedes the file. Returns false with `errno` if the socket doesn't take all of it.
    private func sendUnsent(_ socket: CInt) -> Bool {
        while let first = unsent.first {
            let taken = first.withBytes { bytes in
                var piece = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                    iov_len: bytes.count)
                return vitrine_send(socket, &piece, 1, true)
            }
            if taken < 0 {
                if errno == EINTR { continue }
                return false
            }
            sent += taken
            unsent.removeFirst()
            if let rest = first.dropFirst(taken) { unsent.insert(rest, at: unsent.startIndex) }
        }
        return true
    }

    /// Starts to read what ``Step/waits`` waits for. Calls `onEnd` on another thread.
    func fetch(_ onEnd: @escaping @Sendable () -> Void) {
        let range = offset..<min(offset + Self.fetched, part.range.upperBound)
        // Sent without another look, so that a machine that is short of memory gets on.
        cached = range.upperBound
        part.file.fetch(range, onEnd)
    }

    /// Checks at every tick. Returns whether the client took next to nothing for longer than `limit`
    /// milliseconds.
    func isStuck(_ socket: CInt, at now: Int, for limit: Int) -> Bool {
        let taken = sent - Int(vitrine_unacknowledged(socket))
        if read != nil || isEager || taken - progress.bytes >= Self.leastProgress {
            progress = (now, max(progress.bytes, taken))
            return false
        }
        return now - progress.time > limit
    }
}
