import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct RoutesTests {
    private func row(_ path: String) -> Routes.Row {
        (
            path,
            { request in
                var answer = DemoAnswer.html(path, status: 200)
                answer.fields["names"] = request.names.joined(separator: " ")
                return answer
            }
        )
    }

    @Test(arguments: [
        ("/shows/popular", "a.example/shows/popular", ""), ("/shows/1", "a.example/shows/*", "1"),
        ("/shows/1/images/2", "a.example/shows/*/images/*", "1 2"),
        ("/files/x/y", "a.example/files/**", "x y"), ("/files", "a.example/files/**", ""),
    ])
    func `the first row that fits answers, and gets what stands at its stars`(
        path: String, row title: String, names: String
    ) async {
        let routes = Routes(
            [
                "a.example/shows/popular", "a.example/shows/*", "a.example/shows/*/images/*",
                "a.example/files/**", "b.example/**",
            ].map(row))
        let answer = await routes.answer(DemoRequest(host: "a.example", path: path))
        #expect(answer.text.contains("<h1>\(title)</h1>"))
        #expect(answer.fields["names"] == names)
        #expect(routes.hosts == ["a.example", "b.example"])
    }

    @Test func `a path without a row is a 404, and a host without one is unknown`() async {
        let routes = Routes([row("a.example/shows/*")])
        for path in ["/", "/shows", "/shows/1/2"] {
            #expect(await routes.answer(DemoRequest(host: "a.example", path: path)) == .notFound)
        }
        #expect(routes.host("a.example") == "a.example")
        #expect(routes.host("17.a.example") == "a.example")
        #expect(routes.host("b.example") == nil && routes.host("") == nil)
    }
}
