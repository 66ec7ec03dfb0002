import Foundation
import Glibc
import TestSupport

/// Starts the process that does the work, and keeps the input that it crashed or hung on.
struct Watch {
    /// Seconds; longer than any deadline of a render on a busy machine.
    private static let patience = 20.0
    private let options: FuzzOptions

    init(_ options: FuzzOptions) {
        self.options = options
    }

    /// Whether all went well.
    func run() throws -> Bool {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let current = try CurrentInput(directory.path + "/current")
        current.write(-1, [])
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = CommandLine.arguments.dropFirst() + ["--current", current.path]
        try process.run()
        let hung = waitForEnd(of: process, current)
        if !hung, process.terminationReason == .exit { return process.terminationStatus == 0 }
        let number = current.number
        let name = "fuzz-\(options.headers ? "header-" : "")\(options.seed)-\(number).bin"
        try Data(current.bytes).write(to: URL(filePath: name))
        let what = hung ? "hung for \(Int(Self.patience)) s" : "crashed"
        say("Input \(number) \(what) (signal \(process.terminationStatus)): kept as \(name).")
        return false
    }

    /// Whether it had to be killed, because one input took too long.
    private func waitForEnd(of process: Process, _ current: CurrentInput) -> Bool {
        var seen = (number: current.number, at: ContinuousClock.now)
        while process.isRunning {
            usleep(100_000)
            if current.number != seen.number { seen = (current.number, .now) }
            guard seen.at.duration(to: .now) > .seconds(Self.patience) else { continue }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            return true
        }
        process.waitUntilExit()
        return false
    }
}
