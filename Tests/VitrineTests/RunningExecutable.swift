import Foundation
import Synchronization

/// The built program while it runs: what it writes to standard error, signals, its end.
final class RunningExecutable: Sendable {
    private let process: Mutex<Process>
    private let lines: AsyncStream<String>
    private let ended: AsyncStream<Int32>
    let identifier: Int32

    /// Ends with the value at the latest. With `socket` the program is started as by a service manager
    /// that listens for it.
    init(
        _ arguments: [String], in directory: String, environment: [String: String] = [:],
        socket: FileHandle? = nil
    ) throws {
        let process = Process()
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "vitrine")
        if let socket {
            // The number of the process is known to itself only, before it becomes the program.
            let begin = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&0 </dev/null"
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", begin, program.path] + arguments
            process.standardInput = socket
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.currentDirectoryURL = URL(filePath: directory)
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        let (lines, lineSink) = AsyncStream<String>.makeStream()
        let (ended, endSink) = AsyncStream<Int32>.makeStream()
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
        process.terminationHandler = { ended in
            endSink.yield(ended.terminationStatus)
            endSink.finish()
        }
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
        self.lines = lines
        self.ended = ended
    }

    deinit {
        kill(identifier, SIGKILL)
    }

    /// The next line that begins like that, without its beginning; `nil` when the program ended.
    func line(after beginning: String) async -> String? {
        for await line in lines where line.hasPrefix(beginning) {
            return String(line.dropFirst(beginning.count))
        }
        return nil
    }

    /// The next line that has that text in it; `nil` when the program ended.
    func line(containing text: String) async -> String? {
        for await line in lines where line.contains(text) { return line }
        return nil
    }

    func signal(_ number: Int32) {
        kill(identifier, number)
    }

    /// Waits for the end.
    func status() async -> Int32? {
        await ended.first { _ in true }
    }
}
