package import Foundation

/// The built program while it runs: what it writes to standard error, signals, its end.
package final class RunningExecutable: Sendable {
    private let program: ChildProgram
    private let lines: AsyncStream<String>
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
        // Reads until the program has ended, on a thread and not by the handle's handler: Dispatch, which
        // would call that, may free what it knows of a pipe while it still tells of the pipe's end.
        Thread.detachNewThread {
            Self.read(errors.fileHandleForReading) { lineSink.yield($0) }
            lineSink.finish()
        }
    }

    private static func read(_ file: FileHandle, _ take: (String) -> Void) {
        var line: [UInt8] = []
        while true {
            let data = file.availableData
            if data.isEmpty { return }
            for byte in data {
                if byte == UInt8(ascii: "\n") {
                    take(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
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
