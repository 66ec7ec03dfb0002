import Foundation
import TestSupport
import Testing

@testable import Memory

@Suite(.timeLimit(.minutes(1))) struct MemorySharesTests {
    private static let mebibyte = 1 << 20

    /// All shares of a budget, in bytes.
    private static func all(_ shares: MemoryShares) -> [Int] {
        [
            shares.imaging, shares.originals, shares.cache, shares.responses, shares.unsaved,
            shares.children, shares.program + shares.catalogs,
        ]
    }

    /// Imaging, originals, cache, responses, unsaved, idle children, and program with catalogs, in MiB rounded
    /// down.
    private static func shares(_ shares: MemoryShares) -> [Int] {
        all(shares).map { $0 / mebibyte }
    }

    @Test(arguments: [
        (160, [64, 16, 0, 4, 1, 10, 64]), (512, [219, 148, 27, 11, 11, 30, 64]),
        (1_024, [472, 320, 60, 24, 24, 60, 64]),
        (2_048, [904, 613, 229, 45, 45, 80, 128]),
        (6_144, [2_234, 1_514, 1_703, 113, 113, 80, 384]),
        (16_384, [5_463, 3_704, 5_556, 277, 277, 80, 1_024]),
    ])
    func `the shares of memory don't exceed the budget`(mebibytes: Int, expected: [Int]) throws {
        let shares = try MemoryShares(budget: mebibytes << 20)
        #expect(Self.shares(shares) == expected)
        #expect(Self.all(shares).reduce(0, +) <= shares.budget)
    }

    @Test(arguments: [(160, 32, 32), (1_024, 32, 32), (2_048, 64, 64), (16_384, 512, 512)])
    func `documents of catalogs have a share of their own`(
        mebibytes: Int, catalogs: Int, program: Int
    ) throws {
        let shares = try MemoryShares(budget: mebibytes << 20)
        #expect(shares.catalogs == catalogs << 20 && shares.program == program << 20)
    }

    @Test(arguments: [(0, 0), (100, 100), (100_000, (64 << 20) / MemoryShares.encryptedConnection)])
    func `connections over TLS have a share, a sixteenth of the budget at most`(
        wanted: Int, granted: Int
    ) throws {
        let shares = try MemoryShares(budget: 1 << 30, encrypted: wanted)
        #expect(shares.connections == granted * MemoryShares.encryptedConnection)
        #expect(Self.all(shares).reduce(shares.connections, +) <= shares.budget)
        // The others have less.
        let plain = try MemoryShares(budget: 1 << 30)
        #expect((shares.imaging < plain.imaging) == (wanted > 0))
    }

    @Test(arguments: [(160, 1), (1_024, 6), (16_384, 8)])
    func `each idle child process counts for the budget`(mebibytes: Int, count: Int) throws {
        let shares = try MemoryShares(budget: mebibytes << 20)
        #expect(shares.idleChildren == count)
        #expect(shares.children == count * 10 << 20)
    }

    @Test(
        arguments: [
            (256 << 20, nil, [256, 481, 90, 36, 36, 60, 64]),
            (nil, 0, [505, 342, 0, 25, 25, 60, 64]),
            (64 << 20, 1 << 20, [64, 726, 1, 54, 54, 60, 64]),
        ] as [(Int?, Int?, [Int])])
    func `shares that are not set divide the rest`(
        imaging: Int?, cache: Int?, expected: [Int]
    ) throws {
        let shares = try MemoryShares(budget: 1 << 30, imaging: imaging, cache: cache)
        #expect(Self.shares(shares) == expected)
    }

    @Test func `no share falls below its minimum`() throws {
        let shares = try MemoryShares(budget: 200 << 20, cache: 40 << 20)
        #expect(Self.shares(shares) == [64, 16, 40, 4, 1, 10, 64])
        #expect(Self.all(shares).reduce(0, +) <= shares.budget)
    }

    @Test(
        arguments: [(nil, 1 << 30), (nil, .max), (900 << 20, 100 << 20), (.max, .max)]
            as [(Int?, Int)])
    func `shares over the budget are an error`(imaging: Int?, cache: Int) {
        #expect(throws: MemoryShares.Excess.self) {
            try MemoryShares(budget: 1 << 30, imaging: imaging, cache: cache)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct MachineMemoryTests {
    private static func budget(_ files: [String: String]) throws -> (Int?, Int) {
        let directory = try TemporaryDirectory()
        for (path, text) in files { try writeFile(directory.file(path), text) }
        return (
            MachineMemory.bytes(root: directory.path), MachineMemory.budget(root: directory.path)
        )
    }

    @Test func `a limit of the process's data bounds the budget`() throws {
        let directory = try TemporaryDirectory()
        #expect(MachineMemory.bytes(root: directory.path, dataLimit: 3 << 30) == 3 << 30)
        #expect(MachineMemory.bytes(root: directory.path, dataLimit: nil) == nil)
    }

    private static let gigabytes4 = ["proc/meminfo": "MemTotal:  4194304 kB\nMemFree: 1 kB\n"]

    @Test(
        arguments: [
            ([:], 4 << 30),
            (["proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"], 4 << 30),
            (["proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "3221225472\n"], 3 << 30),
            // The limit of a group counts for those below it.
            (
                [
                    "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "2147483648\n",
                    "sys/fs/cgroup/a/b/memory.max": "max\n",
                ], 2 << 30
            ),
            (
                [
                    "proc/self/cgroup": "7:cpu:/x\n5:memory,hugetlb:/a\n0::/\n",
                    "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2147483648\n",
                    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                ], 2 << 30
            ),
        ] as [([String: String], Int)])
    func `the budget is a quarter of the smaller of memory and limits`(
        files: [String: String], bytes: Int
    ) throws {
        let found = try Self.budget(files.merging(Self.gigabytes4) { own, _ in own })
        #expect(found.0 == bytes)
        #expect(found.1 == max(512 << 20, bytes / 4))
    }

    /// systemd's ProcSubset=pid hides meminfo, and version 1 of control groups has a number for no limit.
    @Test(arguments: [
        [:],
        [
            "proc/self/cgroup": "5:memory:/a\n",
            "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
        ],
    ])
    func `the budget is the minimum if no limit can be read`(files: [String: String]) throws {
        let found = try Self.budget(files)
        #expect(found.0 == nil)
        #expect(found.1 == 512 << 20)
    }
}

@Suite(.timeLimit(.minutes(1))) struct OpenFileSharesTests {
    /// Limit, own needs and wanted connections; connections, responses and kept files.
    @Test(arguments: [
        ((1_024, 404, 10_000), (348, 139, 69)), ((20_000, 404, 10_000), (10_000, 7_091, 2_441)),
        ((20_000, 404, 0), (0, 17_091, 2_441)),
        ((1 << 30, 404, 10_000), (10_000, 1_073_727_260, 4_096)),
        ((532, 404, 10_000), (40, 16, 8)),
    ])
    func `the shares leave the process what it needs and the last descriptors`(
        given: (limit: Int, own: Int, wanted: Int), shares: (Int, Int, Int)
    ) throws {
        let found = try OpenFileShares(
            limit: given.limit, own: given.own, connections: given.wanted)
        #expect((found.connections, found.responses, found.kept) == shares)
        let all = found.connections + found.responses + found.kept
        #expect(all + given.own <= given.limit - OpenFileShares.spare)
    }

    @Test(arguments: [(531, 404, 532), (0, 404, 532), (1 << 40, .max, .max)])
    func `a limit that leaves too little for clients is refused`(
        limit: Int, own: Int, needed: Int
    ) throws {
        #expect(throws: OpenFileShares.Excess(limit: limit, needed: needed)) {
            try OpenFileShares(limit: limit, own: own, connections: 10)
        }
    }
}

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
            try writeFile(directory.file(path), text)
        }
        #expect(MachineProcessors.count(root: directory.path) == 1)
    }
}
