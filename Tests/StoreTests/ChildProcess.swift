import Foundation
import Testing

/// The program that writes to a store until it is killed; see `StoreCrashChild`.
final class ChildProcess: Sendable {
    private let process: Process
    private let output: FileHandle

    /// Lies beside the test bundle.
    static var executable: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("StoreCrashChild")
    }

    /// With a wrapper, the child is the command that it ends with.
    init(task: String, root: String, wrapper: [String] = []) throws {
        let command = wrapper + [Self.executable.path, task, root]
        let pipe = Pipe()
        process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = pipe
        output = pipe.fileHandleForReading
        try process.run()
    }

    /// Calls for each line until it returns false or the child is gone. Blocks.
    func readLines(_ body: (String) throws -> Bool) throws {
        var line: [UInt8] = []
        while let byte = try output.read(upToCount: 1)?.first {
            if byte != UInt8(ascii: "\n") {
                line.append(byte)
                continue
            }
            let goesOn = try body(String(decoding: line, as: UTF8.self))
            if !goesOn { return }
            line = []
        }
    }

    /// Does nothing once it has ended: its number may be another's by then.
    func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// Blocks.
    func waitUntilExit() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// Runs what blocks on a thread that may.
func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
}
