import Memory

/// Receives head and body of one response, and decides when to stop.
///
/// Runs inside libcurl's callbacks, so it copies each byte once and parses only the fields it
/// needs.
struct Reception {
    enum Stop: Equatable {
        /// The needed part of the response is complete.
        case enough
        case failed(TransferFailure)
        /// The body needs that many bytes, which are not free.
        case lacking(Int)
    }

    private(set) var status = 0
    /// Header lines of the last head.
    private(set) var head: [UInt8] = []
    private(set) var body: [UInt8] = []
    /// Set when a callback stops the transfer. libcurl then reports only that it was stopped.
    private(set) var stop: Stop?
    private(set) var received = 0

    private let maxBytes: Int
    private let acceptsCompression: Bool
    private let hold: ByteBudget.Hold?
    /// Whether the response has no body although it declares a length.
    private let isHead: Bool
    private var declared: Int?
    private var isEncoded = false
    private var isChunked = false
    private var keepsBody = true
    private var inHead = true
    /// Bytes of all heads, interim ones included, and of the trailers.
    private var headBytes = 0

    /// Limit of all heads and the trailers of a response. Origins send about one KiB. libcurl limits single
    /// lines, and keeps them all.
    private static let maxHead = 64 << 10
    /// An origin can declare any length. Without a reservation, more memory is allocated only for
    /// received bytes.
    private static let maxReserved = 16 << 20
    /// Reading the rest of a small unwanted body is cheaper than a new connection.
    private static let maxUnwanted = 64 << 10

    /// - Parameter hold: the body's reservation, which grows and shrinks with it; nil means no
    ///   limit but `maxBytes`.
    init(
        maxBytes: Int, acceptsCompression: Bool, hold: ByteBudget.Hold? = nil, isHead: Bool = false
    ) {
        self.maxBytes = maxBytes
        self.acceptsCompression = acceptsCompression
        self.hold = hold
        self.isHead = isHead
    }

    /// Takes one line of a head, including its end. Returns false to end the transfer.
    mutating func takeLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        headBytes += line.count
        guard headBytes <= Self.maxHead else {
            stop = .failed(
                .malformed(reason: "its head and trailers are larger than \(Self.maxHead) bytes"))
            return false
        }
        guard inHead else { return true }  // a trailer
        guard let first = line.first, first != 0x0d, first != 0x0a else { return endHead() }
        switch first | 0x20 {
        case UInt8(ascii: "h") where Self.starts(line, with: "http/"):
            beginHead(line)
            return true
        case UInt8(ascii: "c"): takeContentField(line)
        case UInt8(ascii: "t") where Self.starts(line, with: "transfer-encoding:"):
            isChunked = true
        default: break
        }
        head.append(contentsOf: line)
        return stop == nil
    }

    mutating func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        received += bytes.count
        if received > (keepsBody ? maxBytes : Self.maxUnwanted) {
            if isSuccess {
                stop = .failed(.tooLarge(limit: maxBytes))
            } else {
                body = []
                stop = .enough
            }
            return false
        }
        guard keepsBody else { return true }
        guard makeRoom() else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    /// Doubles the reservation when the body outgrows it. If that fails, the request is repeated
    /// with a reservation of the limit, because the length is unknown.
    private mutating func makeRoom() -> Bool {
        guard let hold, received > hold.bytes else { return true }
        let wanted = min(maxBytes, max(received, 2 * hold.bytes))
        guard hold.resize(to: wanted) else {
            stop = isSuccess ? .lacking(maxBytes) : .enough
            body = []
            return false
        }
        body.reserveCapacity(hold.bytes)
        return true
    }

    /// Whether the body has the declared length, as far as that can be compared.
    var isComplete: Bool {
        guard let declared, keepsBody, !isEncoded, !isChunked, isSuccess, status != 204
        else { return true }
        return declared == received
    }

    /// Shrinks the reservation to the body. Call it when the body has ended.
    func settle() {
        guard let hold, hold.bytes > body.count else { return }
        // Shrinking always succeeds.
        _ = hold.resize(to: body.count)
    }

    private var isSuccess: Bool { (200...299).contains(status) }

    private mutating func beginHead(_ line: UnsafeBufferPointer<UInt8>) {
        head.removeAll(keepingCapacity: true)
        head.reserveCapacity(1 << 10)
        declared = nil
        isEncoded = false
        isChunked = false
        status = Self.number(line.drop { $0 != 0x20 }) ?? 0
    }

    private mutating func takeContentField(_ line: UnsafeBufferPointer<UInt8>) {
        if Self.starts(line, with: "content-length:") {
            let length = Self.number(line.dropFirst(15))
            if let length, let declared, declared != length {
                stop = .failed(.malformed(reason: "it declares two different lengths"))
            }
            declared = length ?? declared
        } else if Self.starts(line, with: "content-encoding:") {
            let value = line.dropFirst(17).filter { $0 > 0x20 }
            isEncoded = isEncoded || !(value.isEmpty || value.elementsEqual("identity".utf8))
        }
    }

    /// Handles the empty line. An interim head (1xx) is followed by another head, a final one by
    /// the body.
    private mutating func endHead() -> Bool {
        guard !(100...199).contains(status) else { return true }
        inHead = false
        if isHead {
            keepsBody = false
            return true
        }
        guard isSuccess else {
            keepsBody = !RedirectPolicy.isRedirect(status) && (acceptsCompression || !isEncoded)
            return true
        }
        if isEncoded, !acceptsCompression {
            stop = .failed(.malformed(reason: "it is compressed without our asking"))
        } else if let declared, !isChunked {
            if declared > maxBytes {
                stop = .failed(.tooLarge(limit: maxBytes))
            } else if let hold, !hold.resize(to: declared) {
                stop = .lacking(declared)
            } else {
                // The kernel provides memory when it is written to, so the reserved size can be
                // allocated.
                body.reserveCapacity(hold == nil ? min(declared, Self.maxReserved) : declared)
            }
        }
        return stop == nil
    }

    /// - Parameter name: in lower case.
    private static func starts(
        _ line: UnsafeBufferPointer<UInt8>, with name: StaticString
    ) -> Bool {
        guard line.count >= name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { name in
            name.indices.allSatisfy { index in
                let byte = line[index]
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                return (isUpper ? byte | 0x20 : byte) == name[index]
            }
        }
    }

    /// Returns the decimal number after blanks; nil without one, or if it is too large.
    private static func number(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var value: Int?
        for byte in bytes.drop(while: { $0 == 0x20 || $0 == 0x09 }) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
            let (scaled, over) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, carry) = scaled.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            if over || carry { return nil }
            value = sum
        }
        return value
    }
}
