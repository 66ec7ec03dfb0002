import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct PictureStoreTests {
    @Test func `requests at the same time share one drawing, for all of its files`() async throws {
        let store = PictureStore(maxBytes: 1_000)
        try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await store.files("one") { [[1, 2, 3], [4]] }
                }
            }
            let files = try await group.reduce(into: Set()) { $0.insert($1) }
            #expect(files == [[[1, 2, 3], [4]]])
        }
        #expect(await store.drawings == 1)
    }

    @Test func `the bound drops what was not used for longest`() async throws {
        let store = PictureStore(maxBytes: 29)
        for key in ["0", "1", "0", "2", "0", "1"] {
            _ = try await store.files(key) { [Array(repeating: 0, count: 10)] }
        }
        // 0, 1 and 2 were drawn once; 2 pushed out 1, which was then drawn again.
        #expect(await store.drawings == 4)
    }

    @Test func `a drawing that fails is tried again`() async throws {
        struct Broken: Error {}
        let store = PictureStore(maxBytes: 100)
        await #expect(throws: Broken.self) {
            try await store.files("one") { throw Broken() }
        }
        #expect(try await store.files("one") { [[7]] } == [[7]])
    }
}
