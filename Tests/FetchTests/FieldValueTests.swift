import TestSupport
import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1))) struct FieldValueTests {
    private static func head(_ line: [UInt8], _ status: String) -> OriginReply {
        .garbage(
            Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n".utf8) + line
                + Array("\r\n\r\n".utf8))
    }

    /// The path that is asked for after a redirect.
    @Test(arguments: [
        (Array("/M".utf8) + [0xE4] + Array("dchen.jpg".utf8), "/M%E4dchen.jpg"),
        (Array("/Mädchen.jpg".utf8), "/M%c3%a4dchen.jpg"), (Array("/a b.jpg".utf8), "/a%20b.jpg"),
        ([0x2F, 0xFF, 0x80], "/%FF%80"), (Array("/%E4".utf8), "/%E4"),
    ])
    func `a redirect leads to the bytes that its Location has`(
        location: [UInt8], path: String
    ) async throws {
        let line = Array("Location: ".utf8) + location
        let fetched = try await fetched(Self.head(line, "302 Found"), .ok([1]))
        #expect(try fetched.response.body == [1])
        #expect(fetched.log.requests.last?.path.lowercased() == path.lowercased())
    }

    @Test(arguments: [
        [0x22, 0xE4, 0x22], Array("\"ä\"".utf8), [0x22, 0xFF, 0x80, 0x22], Array("\"a\"".utf8),
    ])
    func `validators are sent back with the bytes that they came with`(tag: [UInt8]) async throws {
        let line = Array("ETag: ".utf8) + tag + Array("\r\nLast-Modified: ".utf8) + tag
        let validators = try await fetched(Self.head(line, "200 OK")).response.validators
        let lines = try RequestHeaders(
            FetchRequest.original("http://a.test/").with { $0.validators = validators }
        ).lines(keepingSecrets: true)
        #expect(
            lines == [
                Array("If-None-Match: ".utf8) + tag, Array("If-Modified-Since: ".utf8) + tag,
            ])
    }

    /// Validators that were stored as the characters of UTF-8.
    @Test func `characters beyond those of a byte are sent in UTF-8`() {
        #expect("\"→\"".fieldBytes == Array("\"→\"".utf8))
        #expect(String(fieldBytes: [0x22, 0xE4, 0x22]) == "\"ä\"")
    }
}
