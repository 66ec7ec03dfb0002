import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct HostNamesTests {
    @Test(arguments: [
        ("https://static.tvmaze.com/a.jpg", "static.tvmaze.com"),
        ("https://Static.TVMaze.com.:443/a.jpg", "static.tvmaze.com"),
        ("http://[2001:db8::1]:80/a", "[2001:db8::1]"), ("http://host?x=1", "host"),
        ("https://user:secret@host/a", "other"), ("host/a", "other"), ("http:///a", "other"),
        ("http://" + String(repeating: "a", count: 254) + "/", "other"),
    ])
    func `a host is one label however it is written`(url: String, name: String) {
        #expect(HostNames().name(of: url) == name)
    }

    @Test func `labels are bounded, and only counted hosts have one`() {
        let names = HostNames()
        let all = Set((0..<1_000).map { names.name(of: "https://host\($0).example/") })
        #expect(all.count == 65 && all.contains("other"))
        #expect(names.known("HOST0.example") == "host0.example")
        #expect(names.known("host999.example") == "other")
    }
}
