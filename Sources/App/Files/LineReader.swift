import Glibc
import Synchronization

/// Reads a file or standard input line by line, in pieces, so that its size doesn't matter. Calls
/// block, one at a time.
package final class LineReader: Sendable {
    /// A line and its number, from 1.
    package struct Line: Sendable, Equatable {
        package var number: Int
        package var text: String
    }

    private struct State {
        /// The beginning of a line whose end is not read yet.
        var rest: [UInt8] = []
        var lines = 0
        var isAtEnd = false
    }

    private static let pieceBytes = 64 << 10
    /// A longer line is an error, not a URL or a name.
    private static let maxLineBytes = 1 << 20

    private let path: String
    private let descriptor: Int32
    private let state = Mutex(State())

    /// - Parameter path: `-` is standard input.
    package init(_ path: String) throws(LocalFileError) {
        self.path = path
        descriptor =
            path == "-"
            ? STDIN_FILENO : try LocalFile.open(path, O_RDONLY | O_CLOEXEC, verb: "read")
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Returns the next lines, at least one; nil after the last.
    package func next() throws(LocalFileError) -> [Line]? {
        try state.withLock { state throws(LocalFileError) in try next(&state) }
    }

    /// Returns the line at a place in bytes, wherever the next one is. Not of a pipe.
    package func line(at place: Range<Int>) throws(LocalFileError) -> String {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: place.count) { buffer, count in
            while count < place.count {
                let received = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, place.count - count,
                    place.lowerBound + count)
                if received > 0 {
                    count += received
                } else if received == 0 || errno != EINTR {
                    code = received == 0 ? 0 : errno
                    return
                }
            }
        }
        if code != 0 { throw LocalFileError(path, "read", code: code) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func next(_ state: inout State) throws(LocalFileError) -> [Line]? {
        while !state.isAtEnd {
            let piece = try read()
            state.isAtEnd = piece.isEmpty
            state.rest += piece
            var lines: [Line] = []
            var start = state.rest.startIndex
            while let end = state.rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(line(state.rest[start..<end], &state))
                start = end + 1
            }
            state.rest.removeFirst(start)
            if state.isAtEnd, !state.rest.isEmpty {
                lines.append(line(state.rest[...], &state))
                state.rest = []
            }
            if state.rest.count > Self.maxLineBytes {
                throw LocalFileError(
                    reason: "Line \(state.lines + 1) of \(path) is over \(Self.maxLineBytes) bytes."
                )
            }
            if !lines.isEmpty { return lines }
        }
        return nil
    }

    private func line(_ bytes: ArraySlice<UInt8>, _ state: inout State) -> Line {
        state.lines += 1
        return Line(number: state.lines, text: String(decoding: bytes, as: UTF8.self))
    }

    private func read() throws(LocalFileError) -> [UInt8] {
        while true {
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
                let received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if received < 0 { code = errno }
                count = max(0, received)
            }
            if code == 0 { return bytes }
            if code != EINTR { throw LocalFileError(path, "read", code: code) }
        }
    }
}
