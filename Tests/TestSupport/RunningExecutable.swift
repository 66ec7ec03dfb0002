package import Foundation
import Synchronization

/// The built program while it runs: what it writes to standard error, signals, its end.
package final class RunningExecutable: Sendable {
    private let program: ChildProgram
    private let lines: AsyncStream<String>
    /// Reads as long as it lives.
    private let errors: Pipe
    package var identifier: Int32 { program.identifier }

    /// Ends with the value at the latest. `wrapper` is a command that ends by running the one that follows
    /// it. With `socket` the program is started as by a service manager
    /// that listens for it.
    package init(
        _ arguments: [String], in directory: String, environment: [String: String] = [:],
        wrapper: [String] = [], socket: FileHandle? = nil
    ) throws {
        let errors = Pipe()
        let (lines, lineSink) = AsyncStream<String>.makeStream()
        let partial = Mutex("")
        errors.fileHandleForReading.readabilityHandler = { file in
            let data = file.availableData
            guard !data.isEmpty else {
                file.readabilityHandler = nil
                lineSink.finish()
                return
            }
            let whole = partial.withLock { partial in
                var parts = (partial + String(decoding: data, as: UTF8.self))
                    .components(separatedBy: "\n")
                partial = parts.removeLast()
                return parts
            }
            whole.forEach { lineSink.yield($0) }
        }
        let writing = errors.fileHandleForWriting
        // The number of the process is known to itself only, before it becomes the program.
        let begin = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&0 </dev/null"
        let shell = socket == nil ? [] : ["/bin/sh", "-c", begin]
        let command = wrapper + shell + [ChildPrograms.vitrine] + arguments
        program = try ChildProgram(
            command[0], Array(command.dropFirst()),
            directory: directory, environment: environment, input: socket, error: writing)
        try writing.close()
        self.lines = lines
        self.errors = errors
    }

    /// The next line that begins like that, without its beginning; `nil` when the program ended.
    package func line(after beginning: String) async -> String? {
        for await line in lines where line.hasPrefix(beginning) {
            return String(line.dropFirst(beginning.count))
        }
        return nil
    }

    /// The next line that has that text in it; `nil` when the program ended.
    package func line(containing text: String) async -> String? {
        for await line in lines where line.contains(text) { return line }
        return nil
    }

    package func signal(_ number: Int32) { program.signal(number) }

    /// Waits for the end.
    package func status() async -> Int32 { await program.status() }

    /// Has the program end as a service manager does, and waits for that.
    package func terminate() async -> Int32 {
        signal(SIGTERM)
        return await status()
    }
}
