import Glibc

/// Writes a new file line by line. Each line is whole, also after the death of the process. Calls
/// block.
package final class LineWriter: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Replaces the file.
    package init(_ path: String) throws(LocalFileError) {
        self.path = path
        descriptor = try LocalFile.open(
            path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, mode: 0o666, verb: "write")
    }

    deinit { close(descriptor) }

    package func write(_ line: String) throws(LocalFileError) {
        try LocalFile.write(Array((line + "\n").utf8), to: descriptor, path: path)
    }
}
