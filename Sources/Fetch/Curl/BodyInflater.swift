import CCompression

/// Removes the content codings of a body while its bytes arrive. Used by one thread at a time.
final class BodyInflater {
    /// Why a body can't be read further.
    enum Failure: Error, Equatable {
        case damaged(ContentCodings.Coding)
        case noMemory
        /// What gets the bytes takes no more.
        case stopped
    }

    /// In the order in which they are removed: the last one applied comes first.
    private let layers: [Layer]

    init(_ codings: ContentCodings) {
        layers = codings.applied.reversed().map(Layer.init)
    }

    /// Removes the codings from the next bytes.
    ///
    /// - Parameter body: gets the result in pieces; returns false to end it.
    func take(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(Failure) {
        try pass(bytes, to: 0, body)
    }

    /// Whether every coding has come to its own end.
    var isComplete: Bool { layers.allSatisfy(\.hasEnded) }

    private func pass(
        _ bytes: UnsafeBufferPointer<UInt8>, to index: Int,
        _ body: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(Failure) {
        guard index < layers.count else {
            guard body(bytes) else { throw .stopped }
            return
        }
        try layers[index].take(bytes) { (piece) throws(Failure) in
            try pass(piece, to: index + 1, body)
        }
    }
}

/// One coding of a body.
private final class Layer {
    private enum State {
        /// Before the second byte, which tells zlib's format from deflate alone.
        case beginning(first: UInt8?)
        case inflating
        /// Behind a stream. A gzip file may have further ones (RFC 1952, section 2.2).
        case ended(first: UInt8?)
        /// Behind the last stream. The bytes that follow don't belong to the body. Browsers ignore them, too.
        case ignoring
    }

    private let coding: ContentCodings.Coding
    private var state = State.beginning(first: nil)
    private var stream: UnsafeMutablePointer<z_stream>?
    private let piece: UnsafeMutableBufferPointer<UInt8>

    /// Bytes of the result that are passed on at once.
    private static let pieceBytes = 32 << 10

    init(_ coding: ContentCodings.Coding) {
        self.coding = coding
        piece = .allocate(capacity: Self.pieceBytes)
    }

    deinit {
        if let stream { vitrine_inflater_free(stream) }
        piece.deallocate()
    }

    var hasEnded: Bool {
        switch state {
        case .ended, .ignoring: true
        case .beginning, .inflating: false
        }
    }

    func take(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ next: (UnsafeBufferPointer<UInt8>) throws(BodyInflater.Failure) -> Void
    ) throws(BodyInflater.Failure) {
        var rest = bytes[...]
        while let byte = rest.first {
            switch state {
            case .ignoring: return
            case .beginning(nil) where coding == .gzip: try begin(VITRINE_GZIP, [], next)
            case .beginning(nil):
                state = .beginning(first: byte)
                rest.removeFirst()
            case .beginning(let first?):
                let isZlib = Self.isZlib(first, byte)
                try begin(isZlib ? VITRINE_ZLIB : VITRINE_RAW_DEFLATE, [first], next)
            case .ended(nil):
                state = coding == .gzip && byte == 0x1F ? .ended(first: byte) : .ignoring
                rest.removeFirst()
            case .ended(let first?):
                guard byte == 0x8B else {
                    state = .ignoring
                    return
                }
                guard let stream, vitrine_inflater_again(stream) else { throw .noMemory }
                state = .inflating
                try inflate([first], next)
            case .inflating:
                let taken = try inflate(UnsafeBufferPointer(rebasing: rest), next)
                rest = rest.dropFirst(taken)
            }
        }
    }

    private func begin(
        _ wrapping: vitrine_wrapping, _ first: [UInt8],
        _ next: (UnsafeBufferPointer<UInt8>) throws(BodyInflater.Failure) -> Void
    ) throws(BodyInflater.Failure) {
        stream = vitrine_inflater_new(wrapping)
        guard stream != nil else { throw .noMemory }
        state = .inflating
        try inflate(first, next)
    }

    private func inflate(
        _ first: [UInt8],
        _ next: (UnsafeBufferPointer<UInt8>) throws(BodyInflater.Failure) -> Void
    ) throws(BodyInflater.Failure) {
        guard !first.isEmpty else { return }
        _ = try first.withUnsafeBufferPointer { (bytes) throws(BodyInflater.Failure) in
            try inflate(bytes, next)
        }
    }

    /// Returns the number of bytes that belong to the stream.
    private func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ next: (UnsafeBufferPointer<UInt8>) throws(BodyInflater.Failure) -> Void
    ) throws(BodyInflater.Failure) -> Int {
        guard let stream, let to = piece.baseAddress, let from = bytes.baseAddress else { return 0 }
        var left = bytes.count
        while true {
            var room = piece.count
            let state = vitrine_inflate(stream, from + bytes.count - left, &left, to, &room)
            let made = piece.count - room
            if made > 0 { try next(UnsafeBufferPointer(start: to, count: made)) }
            switch state {
            case VITRINE_INFLATE_DAMAGED: throw .damaged(coding)
            case VITRINE_INFLATE_ENDED:
                self.state = .ended(first: nil)
                return bytes.count - left
            default:
                // Output may wait inside if the room was filled.
                if left == 0, room > 0 { return bytes.count }
            }
        }
    }

    /// Whether two bytes begin zlib's format. Deflate alone can't begin like that: its first block would be a
    /// stored one with bits set that encoders leave 0.
    private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
    }
}
