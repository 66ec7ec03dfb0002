import App
import Catalog
import Fetch
import Pipeline
import TestSupport
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct WarmLinesTests {
    @Test(arguments: ["http://a.example/b.jpg", "  http://a.example/b.jpg\t\r"])
    func `blanks around a URL in a list are ignored`(line: String) throws {
        #expect(try WarmLines.url(inLine: line) == SignedURL.item(of: "http://a.example/b.jpg"))
    }

    @Test(arguments: ["", " \r", "# http://a.example/b.jpg", "  # a comment"])
    func `empty lines and comments of a list are skipped`(line: String) throws {
        #expect(try WarmLines.url(inLine: line) == nil)
    }

    @Test(arguments: ["http://a.example/b c.jpg", "http://a.example/b\tc", "http://a.example /b"])
    func `a URL with a blank inside is rejected with its line number`(url: String) async throws {
        let directory = try TemporaryDirectory()
        let list = try directory.write(Array("# list\n\n \(url) \n".utf8), to: "urls.txt")
        let complaint = CommandError.usage(
            "\(list):3: “\(url)” contains a blank. Write one URL per line, with blanks as %20.")
        await #expect(throws: complaint) {
            guard case .stream(let next) = try await WarmLines.urls(in: list) else { return }
            while try await next() != nil {}
        }
    }

    @Test func `a file is read in pieces, and its last line needs no end`() throws {
        let directory = try TemporaryDirectory()
        let count = 20_000
        let text = (1...count).map { "line \($0)" }.joined(separator: "\n")
        let reader = try LineReader(try directory.write(Array(text.utf8), to: "lines"))
        var pieces = 0
        var lines: [LineReader.Line] = []
        while let piece = try reader.next() {
            pieces += 1
            lines += piece
        }
        #expect(pieces > 2)
        #expect(lines.map(\.number) == Array(1...count))
        #expect(lines.last?.text == "line \(count)")
    }

    @Test func `a line without an end is an error, and takes no memory`() throws {
        let directory = try TemporaryDirectory()
        let bytes = [UInt8](repeating: 65, count: 3 << 20)
        let reader = try LineReader(try directory.write(bytes, to: "long"))
        #expect(throws: LocalFileError.self) { try reader.next() }
    }

    @Test(arguments: [
        ("20", 20, Duration.seconds(1)), ("0.5", 1, .seconds(2)), ("2.5", 2, .milliseconds(800)),
        ("100/1m", 100, .seconds(60)), ("1/3s", 1, .seconds(3)),
    ])
    func `a rate is a number per second, or per time`(
        text: String, count: Int, per: Duration
    ) {
        #expect(WarmRate(argument: text)?.rate == HostPolicy.Rate(count: count, per: per))
    }

    @Test(arguments: ["", "0", "-1", "x", "1/", "/1s", "0/1s", "1/0", "1/2/3", "nan", "inf"])
    func `other texts are not rates`(text: String) {
        #expect(WarmRate(argument: text) == nil)
    }
}
