import TestSupport
import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct FolderPicturesTests {
    private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 1, 2, 3, 4, 0xff, 0xd9]

    private func routes(_ directory: TemporaryDirectory) throws -> Routes {
        _ = try directory.write(Self.jpeg, to: "poster 1.jpg")
        _ = try directory.write([1, 2, 3], to: "other.bin")
        return Routes([("pictures.example/*/*", try FolderPictures(directory.path).file)])
    }

    private func request(_ path: String) -> DemoRequest {
        DemoRequest(host: "pictures.example", path: path)
    }

    @Test func `copy 0 is the file as it is`() async throws {
        let directory = try TemporaryDirectory()
        let answer = try await routes(directory).answer(request("/0/poster%201.jpg"))
        #expect(answer.status == 200)
        #expect(answer.body == Self.jpeg)
    }

    @Test func `another copy is the same picture with a comment in it`() async throws {
        let directory = try TemporaryDirectory()
        let routes = try routes(directory)
        let seven = await routes.answer(request("/7/poster%201.jpg")).body
        // The comment's length counts itself.
        let comment = [0xff, 0xfe, 0, 8] + Array("copy 7".utf8)
        #expect(seven == Array(Self.jpeg.prefix(2)) + comment + Array(Self.jpeg.dropFirst(2)))
        #expect(await routes.answer(request("/8/poster%201.jpg")).body != seven)
        #expect(await routes.answer(request("/7/other.bin")).body == [1, 2, 3])
    }

    @Test(arguments: [
        "/0/none.jpg", "/0", "/", "/x/other.bin", "/0/..%2F..%2Fetc%2Fpasswd", "/0/a/b",
    ])
    func `what is not a file of the directory is not there`(path: String) async throws {
        let directory = try TemporaryDirectory()
        #expect(try await routes(directory).answer(request(path)).status == 404)
    }

    @Test func `a directory that can't be read is named`() throws {
        let error = #expect(throws: DemoOriginError.self) { try FolderPictures("/none/such") }
        #expect(error?.description.contains("/none/such") == true)
    }

    @Test func `without encryption the names lead to port 80`() async throws {
        let directory = try TemporaryDirectory()
        _ = try routes(directory)
        var configuration = DemoOriginConfiguration()
        configuration.transport = .plain
        configuration.pictures = directory.path
        let origin = DemoOrigin(configuration)
        let running = try await origin.start()
        await origin.stop()
        #expect(running.connectTo.contains("pictures.example:80:127.0.0.1:\(running.port)"))
    }
}
