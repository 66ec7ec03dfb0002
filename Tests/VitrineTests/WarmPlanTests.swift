import Catalog
import TestSupport
import Testing

@testable import vitrine

@Suite struct WarmPlanTests {
    @Test(arguments: ["http://a.example/b.jpg", "  http://a.example/b.jpg\t\r"])
    func `blanks around a URL in a list are ignored`(line: String) throws {
        #expect(try WarmPlan.item(inLine: line) == SignedURL.item(of: "http://a.example/b.jpg"))
    }

    @Test(arguments: ["", " \r", "# http://a.example/b.jpg", "  # a comment"])
    func `empty lines and comments of a list are skipped`(line: String) throws {
        #expect(try WarmPlan.item(inLine: line) == nil)
    }

    @Test(arguments: ["http://a.example/b c.jpg", "http://a.example/b\tc", "http://a.example /b"])
    func `a URL with a blank inside is rejected with its line number`(url: String) async throws {
        let directory = try TemporaryDirectory()
        let list = try directory.write(Array("# list\n\n \(url) \n".utf8), to: "urls.txt")
        let complaint = CommandError.usage(
            "\(list):3: “\(url)” contains a blank. Write one URL per line, with blanks as %20.")
        await #expect(throws: complaint) {
            _ = try await WarmPlan.urls(in: list, limit: nil)
        }
    }
}
