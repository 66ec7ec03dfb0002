import Glibc
import Synchronization

/// Writes a new file line by line. Each line is whole, also after the death of the process. Calls
/// block. Thread-safe.
package final class LineWriter: Sendable {
    private let path: String
    private let descriptor: Int32
    /// Bytes that were written.
    private let end = Mutex(0)

    /// Replaces the file.
    package init(_ path: String) throws(LocalFileError) {
        self.path = path
        descriptor = try LocalFile.open(
            path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, mode: 0o666, verb: "write")
    }

    deinit { close(descriptor) }

    /// Writes a line and returns its place in the file, in bytes.
    @discardableResult
    package func write(_ line: String) throws(LocalFileError) -> Range<Int> {
        let bytes = Array((line + "\n").utf8)
        return try end.withLock { end throws(LocalFileError) in
            try LocalFile.write(bytes, to: descriptor, path: path)
            defer { end += bytes.count }
            return end..<end + bytes.count - 1
        }
    }
}
