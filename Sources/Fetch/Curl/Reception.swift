import Memory

/// Receives head and body of one response, and decides when to stop.
///
/// Runs inside libcurl's callbacks, so it copies each byte of the body once.
struct Reception {
    enum Stop: Equatable {
        /// The needed part of the response is complete.
        case enough
        case failed(FetchError.Cause)
        /// The body needs that many bytes, which are not free.
        case lacking(Int)
    }

    private(set) var status = 0
    /// The fields of the final head.
    private(set) var fields: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    /// Set when a callback stops the transfer. libcurl then reports only that it was stopped.
    private(set) var stop: Stop?
    private(set) var received = 0

    private let maxBytes: Int
    private let acceptsCompression: Bool
    private let hold: ByteBudget.Hold?
    /// Whether the response has no body although it declares a length.
    private let isHead: Bool
    /// The length that the body must have.
    private var declared: Int?
    private var keepsBody = true
    private var inHead = true
    private var hasStatusLine = false
    /// The field lines of the head that arrives.
    private var head: [UInt8] = []
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
                .protocolError(
                    reason: "its head and trailers are larger than \(Self.maxHead) bytes"))
            return false
        }
        guard inHead else { return true }  // a trailer
        if line.first == 0x0d || line.first == 0x0a { return endHead() }
        if hasStatusLine {
            head.append(contentsOf: line)
        } else {
            hasStatusLine = true
            status = Self.number(String(decoding: line.drop { $0 != 0x20 }, as: UTF8.self)) ?? 0
        }
        return true
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
        guard let declared, keepsBody, isSuccess, status != 204 else { return true }
        return declared == received
    }

    /// Shrinks the reservation to the body. Call it when the body has ended.
    func settle() {
        guard let hold, hold.bytes > body.count else { return }
        // Shrinking always succeeds.
        _ = hold.resize(to: body.count)
    }

    private var isSuccess: Bool { (200...299).contains(status) }

    /// Handles the empty line. An interim head (1xx) is followed by another head, a final one by
    /// the body.
    private mutating func endHead() -> Bool {
        defer { (head, hasStatusLine) = ([], false) }
        guard !(100...199).contains(status) else { return true }
        inHead = false
        fields = .init(head: head)
        let lengths = fields.values(of: "content-length").compactMap(Self.number)
        if lengths.contains(where: { $0 != lengths.first }) {
            stop = .failed(.protocolError(reason: "it declares two different lengths"))
            return false
        }
        if isHead {
            keepsBody = false
            return true
        }
        let isEncoded = fields.values(of: "content-encoding").contains {
            !$0.isEmpty && $0 != "identity"
        }
        let isChunked = !fields.values(of: "transfer-encoding").isEmpty
        declared = isEncoded || isChunked ? nil : lengths.first
        guard isSuccess else {
            keepsBody = !RedirectPolicy.isRedirect(status) && (acceptsCompression || !isEncoded)
            return true
        }
        if isEncoded, !acceptsCompression {
            stop = .failed(.protocolError(reason: "it is compressed without our asking"))
        } else if let length = lengths.first, !isChunked {
            if length > maxBytes {
                stop = .failed(.tooLarge(limit: maxBytes))
            } else if let hold, !hold.resize(to: length) {
                stop = .lacking(length)
            } else {
                // The kernel provides memory when it is written to, so the reserved size can be
                // allocated.
                body.reserveCapacity(hold == nil ? min(length, Self.maxReserved) : length)
            }
        }
        return stop == nil
    }

    /// Returns the decimal number after blanks; nil without one, or if it is too large.
    private static func number(_ text: String) -> Int? {
        let digits = text.drop { $0 == " " || $0 == "\t" }.prefix { $0.isASCII && $0.isNumber }
        return Int(digits)
    }
}
