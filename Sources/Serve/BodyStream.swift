import HummingbirdCore
import Memory
import NIOCore
import Store

/// Sends large bodies a piece at a time, as fast as their clients read, out of a memory of bounded
/// size.
///
/// A client that doesn't read has at most two pieces in this process: one that waits in its
/// connection, and the next one.
struct BodyStream: Sendable {
    /// Bytes of responses under way.
    let budget: ByteBudget

    /// Pieces are as large as this while few responses are under way, and smaller for many, so that
    /// clients that don't read leave the others something.
    private static let largestPiece = 128 << 10
    private static let smallestPiece = 4 << 10
    /// A connection is told to wait when it has this much that the kernel didn't take.
    static let watermark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 4 << 10)

    /// The body of an answer that goes over a channel of that event loop.
    func body(_ answer: Answer, on loop: any EventLoop) -> ResponseBody {
        if let file = answer.file {
            return ResponseBody(contentLength: file.length) { writer in
                try await send(file, &writer, loop)
            }
        }
        if answer.body.count <= Self.largestPiece {
            return answer.body.isEmpty
                ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        }
        return ResponseBody(contentLength: answer.body.count) { [bytes = answer.body] writer in
            let (piece, hold) = try await pieces(of: bytes.count)
            defer { withExtendedLifetime(hold) {} }
            for start in stride(from: 0, to: bytes.count, by: piece) {
                let end = min(start + piece, bytes.count)
                try await Self.write(bytes[start..<end], &writer, loop)
            }
            try await writer.finish(nil)
        }
    }

    /// Returns when the channel has the bytes and has said whether it takes more. The writer alone
    /// would go on as fast as a busy event loop lets it.
    private static func write(
        _ bytes: some Sequence<UInt8>, _ writer: inout any ResponseBodyWriter,
        _ loop: any EventLoop
    ) async throws {
        try await writer.write(ByteBuffer(bytes: bytes))
        try await loop.submit {}.get()
    }

    private func send(
        _ file: FileBody, _ writer: inout any ResponseBodyWriter, _ loop: any EventLoop
    ) async throws {
        let (piece, hold) = try await pieces(of: file.length)
        defer { withExtendedLifetime(hold) {} }
        for part in file.parts {
            switch part {
            case .text(let bytes): try await Self.write(bytes, &writer, loop)
            case .range(let range):
                for start in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
                    let end = min(start + piece, range.upperBound)
                    guard let bytes = try await file.blob?.read(start..<end) else { return }
                    try await Self.write(bytes, &writer, loop)
                }
            }
        }
        try await writer.finish(nil)
    }

    /// How large the pieces of a body are, and room for two of them.
    private func pieces(of length: Int) async throws -> (bytes: Int, hold: ByteBudget.Hold) {
        let load = budget.load
        let piece = Self.piece(length, free: load.limit - load.held)
        return (piece, try await budget.reserve(2 * piece))
    }

    /// A thousandth of what is free, rounded down to a power of two, within the bounds: then more than
    /// a thousand clients that don't read fit.
    static func piece(_ length: Int, free: Int) -> Int {
        var piece = largestPiece
        while piece > smallestPiece, piece > free / 1_024 { piece /= 2 }
        return max(1, min(piece, length))
    }
}
