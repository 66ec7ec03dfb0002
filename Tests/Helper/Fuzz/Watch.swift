import Foundation
import Glibc
import TestSupport

/// Starts the process that does the work, and keeps an input that it crashes or hangs on.
struct Watch {
    /// Seconds; longer than any deadline of a render on a busy machine.
    private static let timeout = 20.0
    private let options: FuzzOptions

    init(_ options: FuzzOptions) {
        self.options = options
    }

    /// Returns whether all went well.
    func run() throws -> Bool {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let current = try CurrentInput(directory.path + "/current")
        current.write(-1, [])
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = CommandLine.arguments.dropFirst() + ["--current", current.path]
        let end = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in end.signal() }
        try process.run()
        let hung = waitForEnd(of: process, end, current)
        if !hung, process.terminationReason == .exit { return process.terminationStatus == 0 }
        let number = current.number
        let name = "fuzz-\(options.subject)-\(options.seed)-\(number).bin"
        try Data(current.bytes).write(to: URL(filePath: name))
        let what = hung ? "hung for \(Int(Self.timeout)) s" : "crashed"
        say("Input \(number) \(what) (signal \(process.terminationStatus)): kept as \(name).")
        return false
    }

    /// Waits for the end; returns whether the process was killed because one input took too long.
    private func waitForEnd(
        of process: Process, _ end: DispatchSemaphore, _ current: CurrentInput
    ) -> Bool {
        var seen = (number: current.number, at: ContinuousClock.now)
        while end.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if current.number != seen.number { seen = (current.number, .now) }
            guard seen.at.duration(to: .now) > .seconds(Self.timeout) else { continue }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            return true
        }
        process.waitUntilExit()
        return false
    }
}
