import Foundation
import TestSupport
import Testing

@testable import Memory

@Suite struct MachineProcessorsTests {
    @Test(
        arguments: [
            (8, [], 8), (8, ["max 100000\n"], 8), (8, ["200000 100000\n"], 2),
            // Half a processor more is one more thread.
            (8, ["150000 100000\n"], 2), (8, ["10000 100000\n"], 1),
            // The limit of a group counts for those below it.
            (8, ["300000 100000\n", "max 100000\n"], 3), (2, ["800000 100000\n"], 2),
            (0, [], 1), (4, ["", "x", "-1 100000", "100000 0", "1"], 4),
        ] as [(Int, [String], Int)])
    func `the processor count is that of the affinity or of a smaller quota`(
        allowed: Int, quotas: [String], count: Int
    ) {
        #expect(MachineProcessors.count(allowed: allowed, quotas: quotas) == count)
    }

    @Test func `the quota is read from the process's control group`() throws {
        let directory = try TemporaryDirectory()
        for (path, text) in [
            ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/cpu.max", "90000 100000\n"),
        ] {
            let file = URL(fileURLWithPath: directory.file(path))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        #expect(MachineProcessors.count(root: directory.path) == 1)
    }
}
