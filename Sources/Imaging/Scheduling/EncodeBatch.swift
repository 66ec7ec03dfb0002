import Dispatch
import Synchronization
import Threads

/// Encodes pieces on as many threads as a render may use: its own, and others that are started for the
/// batch. Threads never change the bytes, because each piece is encoded by one of them.
///
/// Unchecked because the pixels of the pieces are only read, and everything that changes is behind locks.
final class EncodeBatch: @unchecked Sendable {
    struct Piece {
        let framing: Framing
        let encoding: Encoding
        /// Encodes with a workspace that no other thread has.
        let encode: (RenderWorkspace) throws(ImagingError) -> [UInt8]

        /// Time to encode it, in that of a JPEG's pixel.
        var work: Int { .clampedProduct(framing.size.area, encoding.effort) }
    }

    private struct State: Sendable {
        var next = 0
        /// Work of the pieces that no thread has taken.
        var left: Int
        var helpers = 0
        var made: [Int: [UInt8]] = [:]
        var failure: ImagingError?
    }

    private let pieces: [Piece]
    private let deadline: RenderDeadline
    private let threads: Int
    private let state: Mutex<State>
    private let ends = DispatchSemaphore(value: 0)

    /// Work for which another thread is started: half a millisecond, ten times what the start takes.
    private static let leastWork = 250_000

    /// - Parameters:
    ///   - pieces: taken in this order.
    ///   - threads: how many the render may use, its own among them.
    init(_ pieces: [Piece], threads: Int, _ deadline: RenderDeadline) {
        self.pieces = pieces
        self.threads = threads
        self.deadline = deadline
        state = Mutex(State(left: pieces.reduce(0) { .clampedSum($0, $1.work) }))
    }

    /// Returns the bytes of each piece. Returns after all threads of the batch have finished with it.
    func run(_ workspace: RenderWorkspace) throws(ImagingError) -> [[UInt8]] {
        var started = 0
        while let index = take(asHelper: false) {
            while startsHelper() { started += 1 }
            perform(index, deadline, workspace)
        }
        for _ in 0..<started { ends.wait() }
        let state = state.withLock { $0 }
        assert(state.helpers == 0, "a thread has not finished with the batch")
        if let failure = state.failure { throw failure }
        assert(state.made.count == pieces.count, "a piece is neither made nor failed")
        return pieces.indices.compactMap { state.made[$0] }
    }

    /// Returns the next piece; nil if none is left.
    private func take(asHelper isHelper: Bool) -> Int? {
        state.withLock { state in
            guard state.failure == nil, state.next < pieces.count else {
                if isHelper { state.helpers -= 1 }
                return nil
            }
            defer { state.next += 1 }
            state.left -= pieces[state.next].work
            assert(state.left >= 0, "more work is taken than there was")
            return state.next
        }
    }

    /// Starts another thread if the render may use one more and enough work is left.
    private func startsHelper() -> Bool {
        let isWanted = state.withLock { state in
            guard state.left >= Self.leastWork, state.helpers + 1 < threads,
                state.helpers < pieces.count - state.next
            else { return false }
            state.helpers += 1
            assert(state.helpers < threads, "a render uses more threads than it may")
            return true
        }
        guard isWanted else { return false }
        let left = deadline.left
        do {
            try SystemThread.start("render-side") { [self] in
                help(within: RenderDeadline(left))
                Vips.threadEnds()
                ends.signal()
            }
            return true
        } catch {
            state.withLock { $0.helpers -= 1 }
            return false
        }
    }

    private func help(within deadline: RenderDeadline) {
        do throws(ImagingError) {
            try RenderWorkspace.with { (workspace) throws(ImagingError) in
                while let index = take(asHelper: true) { perform(index, deadline, workspace) }
            }
        } catch {
            // It took no piece: the others go on without it.
            state.withLock { $0.helpers -= 1 }
        }
    }

    private func perform(
        _ index: Int, _ deadline: RenderDeadline, _ workspace: RenderWorkspace
    ) {
        let result = Result { () throws(ImagingError) in
            try deadline.check()
            return try pieces[index].encode(workspace)
        }
        state.withLock { state in
            switch result {
            case .success(let bytes):
                assert(state.made[index] == nil, "a piece is encoded twice")
                state.made[index] = bytes
            case .failure(let error): state.failure = state.failure ?? error
            }
        }
    }
}
