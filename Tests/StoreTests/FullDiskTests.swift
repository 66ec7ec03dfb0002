import Foundation
import Testing

@testable import Store

struct FullDiskTests {
    private static let unshare = URL(fileURLWithPath: "/usr/bin/unshare")

    /// A command below a tmpfs of 2 MB that only it can see, and that goes with it.
    private static func onSmallDisk(_ directory: String, _ command: [String]) throws -> ChildProcess
    {
        let script = #"mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@""#
        return try ChildProcess(
            unshare, arguments: ["-rm", "sh", "-c", script, directory] + command)
    }

    private static let canMount: Bool = {
        do {
            let scratch = try StoreScratch()
            return try onSmallDisk(scratch.path, ["true"]).waitUntilExit() == 0
        } catch {
            return false
        }
    }()

    @Test(.enabled(if: canMount, "needs a private mount of a small tmpfs"))
    func `a full disk is said to be full, and harms nothing`() async throws {
        let scratch = try StoreScratch()
        let lines = try await blocking {
            let child = try Self.onSmallDisk(
                scratch.path, [ChildProcess.executable.path, "fill", scratch.path])
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
