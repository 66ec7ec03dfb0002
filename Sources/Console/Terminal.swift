import App
import CLinux
import Glibc
import Synchronization
import Threads

/// The system calls for a terminal.
package enum Terminal {
    /// Returns the width in columns; 80 if the descriptor is not a terminal.
    package static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Returns whether what is written to a descriptor may be colored: it is a terminal that knows colors, and
    /// `NO_COLOR` (no-color.org) is not set.
    package static func showsColors(
        _ descriptor: Int32, _ environment: [String: String] = ProcessEnvironment.values
    ) -> Bool {
        isatty(descriptor) == 1 && allowsColors(environment)
    }

    package static func allowsColors(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Whether standard input is a terminal.
    package static var isReadable: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks a question on standard error, and returns whether the line that is typed says yes. A canceled
    /// task gets false.
    package static func agrees(_ question: String) async -> Bool {
        write(question, to: STDERR_FILENO)
        let isOver = Atomic(false)
        return await withTaskCancellationHandler {
            await FileThreads.run { isYes(unless: isOver) }
        } onCancel: {
            isOver.store(true, ordering: .relaxed)
        }
    }

    private static func isYes(unless isOver: borrowing Atomic<Bool>) -> Bool {
        while !isOver.load(ordering: .relaxed) {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // Milliseconds until it looks whether the run was interrupted.
            if poll(&input, 1, 200) > 0 {
                let answer = readLine()?.lowercased() ?? ""
                return ["y", "yes"].contains(answer)
            }
        }
        return false
    }

    /// Writes without a buffer. Errors are ignored, because they can be reported nowhere else.
    package static func write(_ text: String, to descriptor: Int32) {
        try? LocalFile.write(Array(text.utf8), to: descriptor, path: "the terminal")
    }
}
