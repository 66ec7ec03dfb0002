import Fetch
import JSON
import Testing

@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct SourceTemplateTests {
    private static let hosts = [
        HostPattern("cdn.example.org"), HostPattern("*.img.example"), HostPattern("10.0.0.5"),
    ]

    private func filled(
        _ template: String, _ id: String, _ json: String = "null"
    ) throws -> SourceTemplate.Filled {
        try SourceTemplate(url: template, variables: ["id", "width"], hosts: Self.hosts)
            .filled(with: .init(JSON(parsing: Array(json.utf8)), ["id": id]), isURL: true)
    }

    @Test(arguments: [
        ("https://cdn.example.org/{id}/l.jpg", "17", "null", "https://cdn.example.org/17/l.jpg"),
        ("https://cdn.example.org/{id}", "a/b", "null", "https://cdn.example.org/a%2Fb"),
        ("https://cdn.example.org/{id}", "a?b#c", "null", "https://cdn.example.org/a%3Fb%23c"),
        (
            "https://cdn.example.org/{id}", "@evil.example", "null",
            "https://cdn.example.org/%40evil.example"
        ),
        (
            "https://cdn.example.org/?q={id}", "a&b=c d", "null",
            "https://cdn.example.org/?q=a%26b%3Dc%20d"
        ),
        ("https://cdn.example.org/{id}", "é", "null", "https://cdn.example.org/%C3%A9"),
        ("https://cdn.example.org/{id}", "%2e%2e", "null", "https://cdn.example.org/%252e%252e"),
        (
            "https://a.img.example/{$.a.b}.jpg", "1", #"{"a":{"b":7}}"#,
            "https://a.img.example/7.jpg"
        ),
        (
            "https://cdn.example.org/p{+$.path}", "1", #"{"path":"/a/b c.jpg"}"#,
            "https://cdn.example.org/p/a/b%20c.jpg"
        ),
        (
            "https://cdn.example.org/{+$.path}", "1", #"{"path":"/a.jpg"}"#,
            "https://cdn.example.org/a.jpg"
        ),
        (
            "https://cdn.example.org/{id}/{width}", "1", "null",
            "https://cdn.example.org/1/{width}"
        ),
        ("http://a.img.example/{id}", "a/b", "null", "http://a.img.example/a%2Fb"),
        ("http://10.0.0.5:8080/{id}", "1", "null", "http://10.0.0.5:8080/1"),
        ("https://cdn.example.org/{$['a}b']}", "1", #"{"a}b":"x"}"#, "https://cdn.example.org/x"),
    ])
    func `values are filled in as segments`(
        template: String, id: String, json: String, expected: String
    ) throws {
        #expect(try filled(template, id, json) == .text(expected))
    }

    @Test(arguments: [
        ("https://cdn.example.org/a/{id}/b", "..", "null"),
        ("https://cdn.example.org/a/{id}", ".", "null"),
        ("https://cdn.example.org/{+$.path}", "1", #"{"path":"/a/../../b"}"#),
        ("https://cdn.example.org/{+$.path}", "1", #"{"path":"/%2E%2e/b"}"#),
        ("https://cdn.example.org/.{id}/b", ".", "null"),
    ])
    func `a value can't lead out of its directory`(
        template: String, id: String, json: String
    ) throws {
        guard case .leavesDirectory = try filled(template, id, json) else {
            Issue.record("\(try filled(template, id, json))")
            return
        }
    }

    @Test func `a missing value is named`() throws {
        let path = try JSONPath("$.image.id")
        #expect(
            try filled("https://cdn.example.org/{$.image.id}.jpg", "1", #"{"image":null}"#)
                == .missing(path))
    }

    @Test(arguments: [
        (
            "cdn.example.org/{id}",
            "a URL begins with https://, or with http:// inside fetch.allowNetworks", 1
        ),
        (
            "http://cdn.example.org:8080/{id}",
            "only an address has a port, such as 10.0.0.5:8080, from 1 to 65535", 8
        ),
        (
            "http://10.0.0.5:0/{id}",
            "only an address has a port, such as 10.0.0.5:8080, from 1 to 65535", 8
        ),
        ("http://10.0.0.6/{id}", "the host “10.0.0.6” is not among the source's hosts", 8),
        (
            "https://{id}.example.org/", "the host is fixed; values may stand behind the first “/”",
            9
        ),
        (
            "https://cdn.example.org{id}/",
            "the host is fixed; values may stand behind the first “/”", 9
        ),
        (
            "https://evil.example/{id}", "the host “evil.example” is not among the source's hosts",
            9
        ),
        (
            "https://cdn.example.org@evil.example/",
            "the host “***@evil.example” is not among the source's hosts", 9
        ),
        (
            "https://cdn.example.org:8443/",
            "the host “cdn.example.org:8443” is not among the source's hosts", 9
        ),
        ("https://cdn.example.org?q={id}", "expected “/” after the host", 24),
        (
            "https://cdn.example.org/{name}",
            "“{name}” is not known here; known are {id}, {width} and paths such as {$.name}", 25
        ),
        ("https://cdn.example.org/{id", "expected “}”", 28),
        ("https://cdn.example.org/id}", "“}” without “{” before it", 27),
        (
            "https://cdn.example.org/{$.a-b}", "a name with “-” is written as ['my-name']", 29
        ),
        ("https://cdn.example.org/a b", "“ ” can't stand in a URL; percent-encode it", 26),
    ])
    func `a wrong URL is refused with its column`(
        template: String, reason: String, column: Int
    ) {
        #expect(throws: SourceSyntaxError(reason: reason, column: column)) {
            try SourceTemplate(url: template, variables: ["id", "width"], hosts: Self.hosts)
        }
    }
}
