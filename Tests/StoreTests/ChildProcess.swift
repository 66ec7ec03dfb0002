import Foundation
import TestSupport
import Testing

/// The program that writes to a store until it is killed; see `StoreCommand`.
final class ChildProcess: Sendable {
    private let program: ChildProgram
    private let output: FileHandle

    /// With a wrapper, the child is the command that it ends with.
    init(
        task: String, root: String, more: [String] = [], wrapper: [String] = []
    ) throws {
        let command = wrapper + [ChildPrograms.helper, "store", task, root] + more
        let pipe = Pipe()
        program = try ChildProgram(
            command[0], Array(command.dropFirst()), output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        output = pipe.fileHandleForReading
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

    func kill() { program.signal(SIGKILL) }

    /// Returns all its lines. It may be killed after some of them.
    ///
    /// - Parameter onLine: called after each line until then.
    func lines(
        killedAfter count: Int = .max, _ onLine: @escaping @Sendable () throws -> Void = {}
    ) async throws -> [String] {
        let lines = try await blocking { [self] in
            var lines: [String] = []
            try readLines { line in
                lines.append(line)
                try onLine()
                return lines.count < count
            }
            kill()
            try readLines { line in
                lines.append(line)
                return true
            }
            return lines
        }
        _ = await status()
        return lines
    }

    func status() async -> Int32 { await program.status() }
}
