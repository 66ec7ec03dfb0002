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

    /// libcurl has finished at Content-Length, and resets a stream that hasn't ended there. Too many
    /// resets end the connection.
    @Test(arguments: [
        ("GET", "/0/large.bin", 200, 300_000), ("GET", "/0/poster%201.jpg", 200, jpeg.count),
        ("GET", "/0/empty.bin", 200, 0), ("HEAD", "/0/large.bin", 200, 0),
        ("GET", "/0/none", 404, 106),
    ])
    func `a response over HTTP/2 ends with its last bytes`(
        method: String, path: String, status: Int, bytes: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        _ = try routes(directory)
        _ = try directory.write([UInt8](repeating: 7, count: 300_000), to: "large.bin")
        _ = try directory.write([], to: "empty.bin")
        var configuration = DemoOriginConfiguration()
        configuration.pictures = directory.path
        let origin = DemoOrigin(configuration)
        let running = try await origin.start()
        let authority = try directory.write(
            Array(running.certificateAuthorityPEM.utf8), to: "authority.pem")
        let client = try await HTTP2Client.open(
            port: running.port,
            tls: TLSOffer(authority, ["h2"], host: "pictures.example"),
            window: 1 << 20)
        let stream = try await client.ask(path, method: method, authority: "pictures.example")
        let answer = await client.answer(stream)
        try await client.close()
        await origin.stop()
        #expect(answer?.status == status)
        #expect(answer?.bytes == bytes)
        #expect(answer?.isEnded == true)
        #expect(answer?.bytesOfEnd != 0)
        #expect((answer?.bytesOfEnd == nil) == (bytes == 0))
    }
}
