import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Catalog

/// When the index of a list is made again, and what answers meanwhile.
@Suite(.timeLimit(.minutes(1))) struct ListRebuildTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var list: String { directory.file("posters.csv") }

    private func source(
        _ place: String? = nil, patience: Duration? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) -> ListSource {
        ListSource(
            ListFile(
                ListDefinition(name: "posters", title: "Posters", place: place ?? list),
                directory: directory.file("lists"), patience: patience, now: now, report: report))
    }

    private func write(_ picture: String, to name: String = "posters.csv") throws {
        try directory.write(Array("sku,poster\nS1,https://a/\(picture)\n".utf8), to: name)
    }

    private func url(_ source: ListSource) async throws -> String? {
        let item = try source.item(kind: "picture", id: "S1")
        return try await source.pictured(item, api: nil).flatMap { SignedURL.url(ofID: $0.id) }
    }

    private func setTime(_ seconds: Int, of path: String) {
        var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    }

    enum Change: CaseIterable {
        case size, time, file
    }

    @Test(arguments: Change.allCases)
    func `a list is read again if only its size, its time or its inode has changed`(
        change: Change
    ) async throws {
        try write("1.jpg")
        setTime(1_000, of: list)
        let source = source()
        #expect(try await url(source) == "https://a/1.jpg")
        switch change {
        case .size:
            try write("22.jpg")
            setTime(1_000, of: list)
        case .time:
            try write("2.jpg")
            setTime(1_001, of: list)
        case .file:
            try write("2.jpg", to: "new.csv")
            setTime(1_000, of: directory.file("new.csv"))
            #expect(rename(directory.file("new.csv"), list) == 0)
        }
        #expect(try await url(source) == (change == .size ? "https://a/22.jpg" : "https://a/2.jpg"))
    }

    @Test func `an unchanged list is not read again, also after a restart`() async throws {
        try write("1.jpg")
        setTime(1_000, of: list)
        #expect(try await url(source()) == "https://a/1.jpg")
        // Written behind the service's back.
        let handle = try FileHandle(forWritingTo: URL(filePath: list))
        try handle.write(contentsOf: Data("sku,poster\nS1,https://b/1.jpg\n".utf8))
        try handle.close()
        setTime(1_000, of: list)
        #expect(try await url(source()) == "https://a/1.jpg")
    }

    @Test func `requests wait for a changed list only in the first moments of its reading`()
        async throws
    {
        let time = Mutex((now: Date(timeIntervalSince1970: 0), step: 0.0))
        let gate = DispatchSemaphore(value: 0)
        let source = source(
            patience: .seconds(600),
            now: {
                time.withLock { time in
                    time.now += time.step
                    return time.now
                }
            }, report: { _ in gate.wait() })
        try write("1.jpg")
        #expect(try await url(source) == "https://a/1.jpg")
        try write("2.jpg")
        #expect(try await url(source) == "https://a/2.jpg")
        // The reading reports the row that has no URL, which takes until the gate opens. Most rows have one, so
        // that the column is known.
        let rows = ["S1,https://a/other.jpg", "S2,https://a/3.jpg", "S3,none"]
        try directory.write(
            Array("sku,poster\n\(rows.joined(separator: "\n"))\n".utf8), to: "posters.csv")
        time.withLock { $0.step = 3_600 }
        for _ in 1...2 { #expect(try await url(source) == "https://a/2.jpg") }
        gate.signal()
        time.withLock { $0 = (Date(timeIntervalSince1970: 0), 0) }
        #expect(try await url(source) == "https://a/other.jpg")
    }

    @Test func `a list that can't be read says why, without its directory`() async throws {
        let missing = await #expect(throws: Failure.self) { _ = try await url(source()) }
        #expect(
            missing?.reason
                == "The list “posters” can't be read. Can't read posters.csv: No such file or directory."
        )
        let other = await #expect(throws: Failure.self) {
            _ = try await url(source(directory.path))
        }
        let name = URL(filePath: directory.path).lastPathComponent
        #expect(
            other?.reason
                == "The list “posters” can't be read. \(name) is a directory, not a file.")
    }

    @Test func `a list whose index could not be written is read again half a minute later`()
        async throws
    {
        let time = Mutex(Date(timeIntervalSince1970: 0))
        let reports = Mutex(0)
        let lists = directory.file("lists")
        let source = ListSource(
            ListFile(
                ListDefinition(name: "posters", title: "Posters", place: list), directory: lists,
                now: { time.withLock { $0 } }, report: { _ in reports.withLock { $0 += 1 } }))
        try write("1.jpg")
        // Its directory can't be made.
        try directory.write([], to: "lists")
        for seconds in [0.0, 1, 40, 41] {
            time.withLock { $0 = Date(timeIntervalSince1970: seconds) }
            await #expect(throws: Failure.self) { _ = try await url(source) }
        }
        #expect(reports.withLock { $0 } == 1)
        try FileManager.default.removeItem(atPath: lists)
        await #expect(throws: Failure.self) { _ = try await url(source) }
        time.withLock { $0 = Date(timeIntervalSince1970: 80) }
        #expect(try await url(source) == "https://a/1.jpg")
    }

    @Test func `what a killed process has left is removed, and what a running one writes stays`()
        async throws
    {
        try FileManager.default.createDirectory(
            atPath: directory.file("lists"), withIntermediateDirectories: false)
        let (left, written) = ("lists/posters.index.1.part", "lists/posters.index.2.part")
        for name in [left, written] { try directory.write([], to: name) }
        // It has no writer, and is not waited for.
        #expect(mkfifo(directory.file("lists/posters.index.3.part"), 0o600) == 0)
        let running = open(directory.file(written), O_RDONLY)
        defer { close(running) }
        #expect(flock(running, LOCK_EX) == 0)
        try write("1.jpg")
        #expect(try await url(source()) == "https://a/1.jpg")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.file("lists"))
        #expect(Set(names) == ["posters.index", "posters.index.2.part"])
    }

    @Test func `a list on a server is asked for once in a while, and not by commands`() async throws
    {
        let place = "https://shop.example/posters.csv"
        let source = source(place)
        let api = ScriptedAPI(json: [place: "id,image\nS1,https://a/1.jpg\n"])
        let query = try source.query(list: "pictures", parameters: [:])
        for _ in 1...3 {
            #expect(try await source.page(query, api: api)?.items.count == 1)
        }
        #expect(api.asked.count == 1)
        #expect(try await url(self.source(place)) == "https://a/1.jpg")
        #expect(api.asked.count == 1)
    }

    /// Answers once a gate is open.
    private struct HeldAPI: APIReading {
        let gate: Gate
        let answer: APIAnswer

        func read(_ call: APICall) async throws(Failure) -> APIAnswer {
            await gate.wait()
            return answer
        }
    }

    @Test func `while a server is asked for a list, the last index answers`() async throws {
        let place = "https://shop.example/posters.csv"
        let query = try source(place).query(list: "pictures", parameters: [:])
        let api = ScriptedAPI(json: [place: "id,image\nS1,https://a/1.jpg\n"])
        _ = try await source(place).page(query, api: api)
        let reported = Gate()
        let definition = ListDefinition(name: "posters", title: "Posters", place: place)
        // A service that has just begun.
        let service = ListSource(
            ListFile(
                definition, directory: directory.file("lists"), patience: .seconds(600)
            ) { _ in reported.open() })
        let held = HeldAPI(gate: Gate(), answer: APIAnswer(status: 503, body: []))
        #expect(try await service.page(query, api: held)?.items.count == 1)
        held.gate.open()
        await reported.wait()
    }
}
