import Foundation
import Glibc
import TestSupport

/// Starts the process that renders, and keeps the input that it crashed or hung on.
struct Watch {
    /// Longer than any deadline of a render on a busy machine.
    private static let patience = 20.0
    private let options: FuzzOptions

    init(_ options: FuzzOptions) {
        self.options = options
    }

    /// Whether all went well.
    func run() throws -> Bool {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let current = CurrentInput(path: directory.path + "/current")
        try current.write(-1, [])
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = CommandLine.arguments.dropFirst() + ["--current", current.path]
        try process.run()
        var hung = false
        while process.isRunning {
            usleep(100_000)
            guard current.age > Self.patience else { continue }
            hung = true
            kill(process.processIdentifier, SIGKILL)
            break
        }
        process.waitUntilExit()
        if !hung, process.terminationReason == .exit { return process.terminationStatus == 0 }
        let (number, bytes) = try current.read()
        let name = "fuzz-\(options.seed)-\(number).bin"
        try bytes.write(to: URL(filePath: name))
        let what = hung ? "hung for \(Int(Self.patience)) s" : "crashed"
        say("Input \(number) \(what) (signal \(process.terminationStatus)): kept as \(name).")
        return false
    }
}
