import Testing

@testable import Memory

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
