import Catalog
import Folders
import Foundation
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Files that responses are sent from, under a limit of open files.
@Suite(.timeLimit(.minutes(1))) struct OpenFileTests {
    private static let picture = FixtureImages.jpeg(width: 60, height: 40, seed: 1)

    /// A service with a folder of originals of `bytes` each, all of them different.
    private func with(
        _ count: Int, bytes: Int, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (RunningServer, Harness) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("pics"), withIntermediateDirectories: true)
        for number in 0..<count {
            let path = directory.file("pics/\(number).jpg")
            try Data(Self.picture + Array("\(number)".utf8)).write(to: URL(fileURLWithPath: path))
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            // Sparse.
            try file.truncate(atOffset: UInt64(bytes))
            try file.close()
        }
        let harness = try await Harness(folders: [
            Folder(name: "pics", title: "My pictures", path: directory.file("pics"))
        ])
        try await withHarness(harness) { harness in
            try await RunningServer.with(harness.pipeline, adjust) { running in
                try await body(running, harness)
            }
        }
    }

    /// Returns once no file is open for a response.
    private func allClosed(_ harness: Harness) async {
        // The threads look at their tables at each tick, and at the clock of the pipeline.
        await eventually {
            harness.clock.advance(by: 2)
            return harness.pipeline.pictures.openFiles.responses == 0
        }
    }

    @Test func `many originals in a row are sent with few files, and leave none open`() async throws
    {
        let count = 4 * Harness.responseFiles
        // Without connections to borrow from.
        try await with(count, bytes: 100_000, { $0.maxConnections = 4 }) { running, harness in
            let client = try await running.connect()
            var statuses: [Int] = []
            for number in 0..<count {
                try await client.send(request("/o/pics/file/\(number).jpg"))
                let answers = await client.answers(1)
                statuses += answers.map(\.status)
                client.forget()
            }
            #expect(statuses.count == count && statuses.allSatisfy { $0 == 200 })
            await allClosed(harness)
        }
    }

    @Test func `while connections are free, responses may open more files than their share`()
        async throws
    {
        let count = Harness.responseFiles + 30
        // More than a socket takes.
        try await with(count, bytes: 6 << 20, { $0.maxConnections = 400 }) { running, harness in
            var clients: [RawConnection] = []
            var statuses: Set<String> = []
            for number in 0..<count {
                let client = try await running.connect(reads: false)
                try await client.send(request("/o/pics/file/\(number).jpg"))
                statuses.insert(
                    String(decoding: try await client.readSome().prefix(12), as: UTF8.self))
                clients.append(client)
            }
            #expect(statuses == ["HTTP/1.1 200"])
            #expect(harness.pipeline.pictures.openFiles.responses >= count)
            for client in clients { try await client.close() }
            await allClosed(harness)
        }
    }
}
