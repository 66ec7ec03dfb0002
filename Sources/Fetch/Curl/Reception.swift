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
    /// Without content codings.
    private(set) var body: [UInt8] = []
    /// Set when a callback stops the transfer. libcurl then reports only that it was stopped.
    private(set) var stop: Stop?
    /// Bytes of the body as it is sent.
    private(set) var received = 0

    private let maxBytes: Int
    /// Whether the bodies of compressed errors are read.
    private let keepsErrors: Bool
    private var inflater: BodyInflater?
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

    /// Returns the limit of a compressed body as it is sent. What can't be compressed becomes longer by some
    /// bytes in each block.
    private static func maxCoded(_ maxBytes: Int) -> Int {
        let (sum, overflow) = maxBytes.addingReportingOverflow(maxBytes / 64 + 1_024)
        return overflow ? .max : sum
    }

    /// - Parameters:
    ///   - maxBytes: limit of the body without content codings.
    ///   - hold: the body's reservation, which grows and shrinks with it; nil means no limit but
    ///     `maxBytes`.
    init(
        maxBytes: Int, keepsErrors: Bool = false, hold: ByteBudget.Hold? = nil,
        isHead: Bool = false
    ) {
        self.maxBytes = maxBytes
        self.keepsErrors = keepsErrors
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
        let limit = inflater == nil ? maxBytes : Self.maxCoded(maxBytes)
        if received > (keepsBody ? limit : Self.maxUnwanted) {
            return end(.tooLarge(limit: maxBytes))
        }
        guard keepsBody else { return true }
        guard let inflater else { return append(bytes) }
        do throws(BodyInflater.Failure) {
            try inflater.take(bytes) { append($0) }
            return true
        } catch {
            switch error {
            case .stopped: return false
            case .damaged(let coding):
                return end(.protocolError(reason: "its body is not what its coding \(coding) says"))
            case .noMemory:
                return end(.protocolError(reason: "there is no memory to decompress it"))
            }
        }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let size = body.count + bytes.count
        guard size <= maxBytes else { return end(.tooLarge(limit: maxBytes)) }
        guard makeRoom(size) else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    /// Ends the transfer: with the cause, or without the body of an error. Returns false.
    private mutating func end(_ cause: FetchError.Cause) -> Bool {
        stop = isSuccess ? .failed(cause) : .enough
        if !isSuccess { body = [] }
        return false
    }

    /// Doubles the reservation when the body outgrows it. If that fails, the request is repeated
    /// with a reservation of the limit, because the length is unknown.
    private mutating func makeRoom(_ size: Int) -> Bool {
        guard let hold, size > hold.bytes else { return true }
        let wanted = min(maxBytes, max(size, 2 * hold.bytes))
        guard hold.resize(to: wanted) else {
            stop = isSuccess ? .lacking(maxBytes) : .enough
            body = []
            return false
        }
        body.reserveCapacity(hold.bytes)
        return true
    }

    /// What the body lacks, as far as that can be told: it doesn't have the declared length, or its compressed
    /// data has no end. nil if it is complete.
    var lack: String? {
        guard keepsBody, isSuccess, status != 204 else { return nil }
        if let declared, declared != received { return "the body doesn't have the declared length" }
        if let inflater, received > 0, !inflater.isComplete {
            return "the compressed body ends too early"
        }
        return nil
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
        let codings = ContentCodings(fields.values(of: "content-encoding"))
        let isChunked = !fields.values(of: "transfer-encoding").isEmpty
        declared = isChunked ? nil : lengths.first
        let isReadable = codings.unread == nil && codings.applied.count <= ContentCodings.most
        // A part of a compressed representation can't be decompressed.
        let isPart = status == 206 && fields.wholeRange == nil
        if isReadable, !isPart, !codings.applied.isEmpty { inflater = BodyInflater(codings) }
        guard isSuccess else {
            keepsBody =
                !RedirectPolicy.isRedirect(status) && isReadable
                && (keepsErrors || codings.applied.isEmpty)
            return true
        }
        if !isReadable {
            let reason =
                codings.unread.map {
                    "its content coding is \($0), and only gzip and deflate are read"
                }
                ?? "it is compressed more than \(ContentCodings.most) times"
            stop = .failed(.protocolError(reason: reason))
        } else if let length = lengths.first, !isChunked {
            if length > (inflater == nil ? maxBytes : Self.maxCoded(maxBytes)) {
                stop = .failed(.tooLarge(limit: maxBytes))
            } else if let hold, !hold.resize(to: min(length, maxBytes)) {
                stop = .lacking(min(length, maxBytes))
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
