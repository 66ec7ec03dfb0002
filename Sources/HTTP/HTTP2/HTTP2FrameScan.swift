/// Follows the frames of a connection (RFC 9113, section 4) to know whether a head is incomplete,
/// because a stream begins only with a complete one. Counts frames. Pure.
struct HTTP2FrameScan {
    private static let prefaceLength = 24
    private static let headerLength = 9
    private static let (data, headers, continuation) = (UInt8(0), UInt8(1), UInt8(9))
    private static let (priority, reset, settings, ping) = (UInt8(2), UInt8(3), UInt8(4), UInt8(6))
    private static let (endStream, endHeaders) = (UInt8(1), UInt8(4))

    private var prefaceLeft = prefaceLength
    private var headerCount = 0
    private var length = 0
    private var type: UInt8 = 0
    private var payloadLeft = 0
    /// Whether a block of fields is incomplete.
    private var isInHead = false
    private var counts = HTTP2Abuse.Counts()

    /// Returns the frames since the last call.
    mutating func takeCounts() -> HTTP2Abuse.Counts {
        defer { counts = .init() }
        return counts
    }

    /// Whether a head, or a frame other than DATA, is incomplete. Streams watch the pace of DATA.
    var isOpen: Bool { isInHead || headerCount > 0 || payloadLeft > 0 && type != Self.data }

    /// Takes bytes. Returns whether no frame was incomplete after one of them.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = min(prefaceLeft, bytes.count)
        prefaceLeft -= index
        var hasPaused = false
        while index < bytes.count {
            if payloadLeft > 0 {
                let taken = min(payloadLeft, bytes.count - index)
                payloadLeft -= taken
                index += taken
            } else {
                takeHeader(bytes[index])
                index += 1
            }
            hasPaused = hasPaused || !isOpen
        }
        return hasPaused
    }

    private mutating func takeHeader(_ byte: UInt8) {
        switch headerCount {
        case 0: length = Int(byte)
        case 1, 2: length = length << 8 | Int(byte)
        case 3: type = byte
        case 4:
            if type == Self.headers || type == Self.continuation {
                isInHead = byte & Self.endHeaders == 0
            }
            count(flags: byte)
        default: break
        }
        headerCount += 1
        guard headerCount == Self.headerLength else { return }
        headerCount = 0
        payloadLeft = length
    }

    private mutating func count(flags: UInt8) {
        switch type {
        case Self.reset: counts.resets += 1
        case Self.priority, Self.settings, Self.ping: counts.controls += 1
        case Self.data where length == 0 && flags & Self.endStream == 0: counts.controls += 1
        default: break
        }
    }
}
