import Foundation
import TestSupport
import Testing

@testable import Store

struct FullDiskTests {
    /// Runs a command with a tmpfs of 2 MB at the directory, which only it can see and which goes
    /// with it.
    private static func smallDisk(at directory: String) -> [String] {
        let script = "mount -t tmpfs -o size=2m tmpfs \"$0\" && exec \"$@\""
        return ["/usr/bin/unshare", "-rm", "sh", "-c", script, directory]
    }

    private static func canMount() async throws -> Bool {
        let scratch = try StoreScratch()
        let command = smallDisk(at: scratch.path) + ["true"]
        do {
            let program = try ChildProgram(command[0], Array(command.dropFirst()))
            return await program.status() == 0
        } catch {
            return false
        }
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `a full disk is said to be full, and harms nothing`() async throws {
        let scratch = try StoreScratch()
        let child = try ChildProcess(
            task: "fill", root: scratch.path, wrapper: Self.smallDisk(at: scratch.path))
        let lines = try await blocking {
            var lines: [String] = []
            try child.readLines { line in
                lines.append(line)
                return true
            }
            return lines
        }
        _ = await child.status()
        let full = StoreError.diskFull(path: scratch.path)
        #expect(
            lines == [
                "blobs \(full)", "known true", "sound true", "strays 0", "rows \(full)",
                "rows kept true", "goes on true",
            ])
    }
}
