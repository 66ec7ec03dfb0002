import Foundation
import Testing

@testable import Store

struct FullDiskTests {
    /// Runs a command with a tmpfs of 2 MB at the directory, which only it can see and which goes
    /// with it.
    private static func smallDisk(at directory: String) -> [String] {
        let script = "mount -t tmpfs -o size=2m tmpfs \"$0\" && exec \"$@\""
        return ["/usr/bin/unshare", "-rm", "sh", "-c", script, directory]
    }

    private static let canMount: Bool = {
        do {
            let scratch = try StoreScratch()
            let process = Process()
            let command = smallDisk(at: scratch.path) + ["true"]
            process.executableURL = URL(fileURLWithPath: command[0])
            process.arguments = Array(command.dropFirst())
            process.standardError = nil
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus == 0
        } catch {
            return false
        }
    }()

    @Test(.enabled(if: canMount, "needs a private mount of a small tmpfs"))
    func `a full disk is said to be full, and harms nothing`() async throws {
        let scratch = try StoreScratch()
        let lines = try await blocking {
            let child = try ChildProcess(
                task: "fill", root: scratch.path,
                wrapper: Self.smallDisk(at: scratch.path))
            var lines: [String] = []
            try child.readLines { line in
                lines.append(line)
                return true
            }
            _ = child.waitUntilExit()
            return lines
        }
        let full = StoreError.diskFull(path: scratch.path)
        #expect(
            lines == [
                "blobs \(full)", "known true", "sound true", "strays 0", "rows \(full)",
                "rows kept true", "goes on true",
            ])
    }
}
