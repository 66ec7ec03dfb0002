import TestSupport
import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct FolderSiteTests {
    private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 1, 2, 3, 4, 0xff, 0xd9]

    private func site(_ directory: TemporaryDirectory) throws -> FolderSite {
        _ = try directory.write(Self.jpeg, to: "poster 1.jpg")
        _ = try directory.write([1, 2, 3], to: "other.bin")
        return try FolderSite(directory.path)
    }

    @Test func `copy 0 is the file as it is`() async throws {
        let directory = try TemporaryDirectory()
        let answer = try await site(directory).answer(DemoRequest(path: "/0/poster%201.jpg"))
        #expect(answer.status == 200)
        #expect(answer.body == Self.jpeg)
    }

    @Test func `another copy is the same picture with a comment in it`() async throws {
        let directory = try TemporaryDirectory()
        let site = try site(directory)
        let seven = await site.answer(DemoRequest(path: "/7/poster%201.jpg")).body
        #expect(Array(seven.prefix(4)) == [0xff, 0xd8, 0xff, 0xfe])
        #expect(Array(seven.suffix(8)) == Array(Self.jpeg.suffix(8)))
        #expect(await site.answer(DemoRequest(path: "/8/poster%201.jpg")).body != seven)
        #expect(await site.answer(DemoRequest(path: "/7/other.bin")).body == [1, 2, 3])
    }

    @Test(arguments: [
        "/0/none.jpg", "/0", "/", "/x/other.bin", "/0/..%2F..%2Fetc%2Fpasswd", "/0/a/b",
    ])
    func `what is not a file of the directory is not there`(path: String) async throws {
        let directory = try TemporaryDirectory()
        #expect(try await site(directory).answer(DemoRequest(path: path)).status == 404)
    }

    @Test func `a directory that can't be read is named`() throws {
        let error = #expect(throws: DemoOriginError.self) { try FolderSite("/none/such") }
        #expect(error?.description.contains("/none/such") == true)
    }

    @Test func `without encryption the names lead to port 80`() async throws {
        let directory = try TemporaryDirectory()
        _ = try site(directory)
        var configuration = DemoOriginConfiguration()
        configuration.transport = .plain
        configuration.pictures = directory.path
        let origin = DemoOrigin(configuration)
        let running = try await origin.start()
        await origin.stop()
        #expect(running.connectTo.contains("pictures.example:80:127.0.0.1:\(running.port)"))
    }
}
