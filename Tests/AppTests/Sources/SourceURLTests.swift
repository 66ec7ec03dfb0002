import Catalog
import TestSupport
import Testing

@testable import App

/// URLs in the answers of described sources.
@Suite(.timeLimit(.minutes(1))) struct SourceURLTests {
    private static func details(_ url: String, _ step: String = "{url: $.image}") async throws
        -> ItemDetails
    {
        let source = try ConfiguredSource(
            yaml: """
                sources:
                  shop:
                    title: The shop
                    hosts: {api.example.org: {}, cdn.example.org: {}, xn--bcher-kva.example: {}}
                    kinds:
                      chair:
                        request: https://api.example.org/{id}
                        chain: [\(step)]
                """)
        let text = url.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
        let api = AnsweringAPI(["https://api.example.org/7": "{\"image\":\"\(text)\"}"])
        return try await source.details(of: source.item(kind: "chair", id: "7"), api: api)
    }

    @Test(arguments: [
        ("https://cdn.example.org/chair 2.jpg", "https://cdn.example.org/chair%202.jpg"),
        ("https://cdn.example.org/Stühle.jpg", "https://cdn.example.org/St%C3%BChle.jpg"),
        (
            "https://cdn.example.org/a|b^c{d}\"e\"'f'",
            "https://cdn.example.org/a%7Cb%5Ec%7Bd%7D%22e%22'f'"
        ),
        ("https://cdn.example.org/a?b=c d|[1]", "https://cdn.example.org/a?b=c%20d%7C%5B1%5D"),
        ("https:\\/\\/cdn.example.org/a", nil),
        ("https://cdn.example.org\\a\\b.jpg", "https://cdn.example.org/a/b.jpg"),
        (" https://cdn.example.org/a.jpg\n", "https://cdn.example.org/a.jpg"),
        ("//cdn.example.org/ä.jpg", "https://cdn.example.org/%C3%A4.jpg"),
        ("https://Bücher.example/a.jpg", "https://xn--bcher-kva.example/a.jpg"),
        ("https://cdn.example.org/100%.jpg", "https://cdn.example.org/100%25.jpg"),
        // As before.
        (
            "https://cdn.example.org/a%20b%2f(1),2;3.jpg?d=e+f&g",
            "https://cdn.example.org/a%20b%2f(1),2;3.jpg?d=e+f&g"
        ),
    ])
    func `a picture's URL is taken as a browser takes it`(given: String, url: String?) async throws
    {
        #expect(try await Self.details(given).urls == [url].compactMap(\.self))
    }

    @Test(arguments: [
        ("/a.jpg", "“/a.jpg” is not an absolute http or https URL."),
        (
            "https://evil.example/a.jpg?key=geheim",
            "“https://evil.example/a.jpg” is on evil.example, which is not one of the hosts "
                + "api.example.org, cdn.example.org, xn--bcher-kva.example."
        ),
        (
            "https://cdn.example.org:8443/a.jpg",
            "“https://cdn.example.org:8443/a.jpg” has a port, which only an address with http:// may "
                + "have."
        ),
        ("https://cdn example.org/a", "“https://cdn example.org/a” has a blank in its host name."),
    ])
    func `an item without a picture names the URL that can't be requested`(
        given: String, reason: String
    ) async throws {
        let details = try await Self.details(given)
        #expect(details.chain.isEmpty && details.absence == reason)
    }

    @Test func `the width of a template is still filled in`() async throws {
        let details = try await Self.details(
            "a b", "{url: \"https://cdn.example.org/{width}|/{$.image}.jpg\", width: 900}")
        #expect(details.urls == ["https://cdn.example.org/{width}%7C/a%20b.jpg"])
    }
}
