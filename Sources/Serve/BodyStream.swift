import Memory
import Store

/// Sends bodies that are not in memory in pieces, as fast as clients read, within a memory budget.
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
    /// Bytes of events that one client has not taken at most: the piece in its connection, and the newest.
    static let eventBytes = 2 * smallestPiece

    /// Returns whether the body is in memory as a whole, so that ``HeldBodies`` count it.
    static func isInMemory(_ answer: Response) -> Bool {
        answer.file == nil && answer.events == nil
    }

    /// Sends the parts of a file, or events.
    ///
    /// - Parameter write: returns when the connection takes more.
    func send(
        _ answer: Response, _ write: (_ bytes: [UInt8], _ isLast: Bool) async throws -> Void
    ) async throws {
        if let events = answer.events {
            for await piece in events() { try await write(piece, false) }
            return try await write(Response.endOfEvents, true)
        }
        guard let file = answer.file else { return }
        let length = answer.length
        let (piece, hold) = try await pieces(of: length)
        defer { withExtendedLifetime(hold) {} }
        var sent = 0
        func sendPiece(_ bytes: [UInt8]) async throws {
            guard !bytes.isEmpty else { return }
            sent += bytes.count
            try await write(bytes, sent == length)
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
