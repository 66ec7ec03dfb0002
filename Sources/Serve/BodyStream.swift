import Memory
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
    /// Returns whether a body is sent in one piece, which isn't counted in the budget.
    static func isSmall(_ answer: Response) -> Bool {
        answer.file == nil && answer.events == nil && answer.body.count <= largestPiece
    }

    /// Sends a large body piece by piece.
    ///
    /// - Parameter write: returns when the connection takes more.
    func send(
        _ answer: Response, _ write: (_ bytes: [UInt8], _ isLast: Bool) async throws -> Void
    ) async throws {
        if let events = answer.events {
            for await piece in events() { try await write(piece, false) }
            return try await write(Response.endOfEvents, true)
        }
        let length = answer.length
        let (piece, hold) = try await pieces(of: length)
        defer { withExtendedLifetime(hold) {} }
        var sent = 0
        func sendPiece(_ bytes: [UInt8]) async throws {
            guard !bytes.isEmpty else { return }
            sent += bytes.count
            try await write(bytes, sent == length)
        }
        guard let file = answer.file else {
            for start in stride(from: 0, to: length, by: piece) {
                try await sendPiece(Array(answer.body[start..<min(start + piece, length)]))
            }
            return
        }
        for part in file.parts {
            switch part {
            case .text(let bytes): try await sendPiece(bytes)
            case .range(let range):
                for start in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
                    let end = min(start + piece, range.upperBound)
                    guard let bytes = try await file.blob?.read(start..<end) else { return }
                    try await sendPiece(bytes)
                }
            }
        }
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
