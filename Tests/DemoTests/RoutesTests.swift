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

@Suite(.timeLimit(.minutes(1))) struct QueryTextTests {
    @Test(arguments: [
        ("", []), ("q=a", ["q", "a"]), ("q=daft+punk&x=", ["q", "daft punk", "x", ""]),
        ("q", ["q", ""]), ("q=a%20b%2Bc", ["q", "a b+c"]), ("q=%C3%B8", ["q", "ø"]),
        ("q=%", ["q", "%"]), ("q=%zz", ["q", "%zz"]), ("a=1&a=2", ["a", "1", "a", "2"]),
        ("a=b=c", ["a", "b=c"]),
    ])
    func `names and values are read as forms write them`(text: String, expected: [String]) {
        #expect(DemoRequest.fields(of: text).flatMap { [$0.name, $0.value] } == expected)
    }

    @Test(arguments: ["plain", "two words", "ø & ß", "a+b", "100%", "~*-._"])
    func `an encoded text is decoded to the same text`(text: String) {
        #expect(DemoRequest.fields(of: "q=\(DemoRequest.encoded(text))").first?.value == text)
    }

    @Test(arguments: [
        ("night", "Night Ferries", true), ("ferr NIGHT", "Night Ferries", true),
        ("odegaard", "Ingrid Ødegaard", true), ("errie", "Night Ferries", false),
        ("", "Night Ferries", false), ("celestine", "Célestine", true),
    ])
    func `a search finds words by their beginnings, without case and accents`(
        term: String, text: String, isFound: Bool
    ) {
        #expect(SearchWords(term).begin(text) == isFound)
    }

    @Test func `other searches want whole words`() {
        #expect(SearchWords("nacht").areIn("De Nacht"))
        #expect(!SearchWords("nac").areIn("De Nacht"))
        #expect(!SearchWords("").areIn("De Nacht"))
    }
}

@Suite(.timeLimit(.minutes(1))) struct FaultInjectorTests {
    private func statuses(_ errors: Double, _ tooMany: Double) async throws -> [Int] {
        var configuration = DemoOriginConfiguration()
        configuration.errorRate = errors
        configuration.tooManyRequests = tooMany
        let faults = FaultInjector(configuration)
        var statuses: [Int] = []
        for _ in 0..<400 { statuses.append(try await faults.next()?.status ?? 200) }
        return statuses
    }

    @Test func `about as many requests fail as are wanted, the same ones every time`()
        async throws
    {
        let statuses = try await statuses(0.1, 0.05)
        #expect((20...60).contains(statuses.count { $0 == 503 }))
        #expect((8...35).contains(statuses.count { $0 == 429 }))
        #expect(try await self.statuses(0.1, 0.05) == statuses)
    }

    @Test func `all of them can fail, and a 429 says when to come again`() async throws {
        #expect(try await statuses(1, 0).allSatisfy { $0 == 503 })
        var configuration = DemoOriginConfiguration()
        configuration.tooManyRequests = 1
        let answer = try await FaultInjector(configuration).next()
        #expect(answer?.status == 429)
        #expect(answer?.fields["Retry-After"] == "1")
    }

    @Test func `an answer takes at least its latency`() async throws {
        var configuration = DemoOriginConfiguration()
        configuration.latency = .milliseconds(20)
        let faults = FaultInjector(configuration)
        let took = try await ContinuousClock().measure { _ = try await faults.next() }
        #expect(took >= .milliseconds(20))
    }
}
