import HummingbirdCore
import Memory
import NIOCore
import Store

/// Sends large bodies in pieces, as fast as clients read, within a memory budget.
///
/// A client that doesn't read has at most two pieces in memory: one in its connection, and the next
/// one.
struct BodyStream: Sendable {
    /// Bytes of running responses.
    let budget: ByteBudget

    /// Pieces have this size while there are few responses, and smaller ones for many, so that
    /// clients that don't read leave memory for others.
    private static let largestPiece = 128 << 10
    private static let smallestPiece = 4 << 10
    /// Writing to a connection pauses when it has this much that the kernel didn't take.
    static let watermark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 4 << 10)

    /// Returns the body of a response on a channel of an event loop.
    func body(_ answer: Response, on loop: any EventLoop) -> ResponseBody {
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

    /// Returns when the channel has the bytes and has reported whether it takes more. The writer
    /// alone would continue as fast as a busy event loop allows.
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

    /// The size of a body's pieces, and a reservation for two of them.
    private func pieces(of length: Int) async throws -> (bytes: Int, hold: ByteBudget.Hold) {
        let load = budget.load
        let piece = Self.piece(length, free: load.limit - load.held)
        return (piece, try await budget.reserve(2 * piece))
    }

    /// Returns a thousandth of the free bytes, rounded down to a power of two within the bounds, so
    /// that more than a thousand clients that don't read fit.
    static func piece(_ length: Int, free: Int) -> Int {
        var piece = largestPiece
        while piece > smallestPiece, piece > free / 1_024 { piece /= 2 }
        return max(1, min(piece, length))
    }
}
