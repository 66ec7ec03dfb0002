import Catalog
import Fetch
import Foundation
import TestSupport
import Testing

@testable import App

/// The request and the program that tell a cache in front what was purged.
@Suite(.timeLimit(.minutes(1))) struct PurgeCallTests {
    private func template(
        _ url: String, headers: [String] = [], body: String = ""
    ) -> PurgeTemplate {
        PurgeTemplate(
            url: url, method: .purge, headers: headers, body: body, token: Secret("{tags} s/cret"))
    }

    @Test func `places are filled in once, and encoded in the URL`() {
        let request = template(
            "https://a.example/{soft}?t={tags}&k={token}&{other}",
            headers: ["Authorization: Bearer {token}", "X-Names:{tags}"], body: "{\"tags\": {json}}"
        ).request(["tvmaze", "tvmaze/show/1"], soft: true)
        #expect(
            request.url
                == "https://a.example/1?t=tvmaze%20tvmaze%2Fshow%2F1&k=%7Btags%7D%20s%2Fcret&{other}"
        )
        #expect(request.headers.map(\.name) == ["Authorization", "X-Names"])
        #expect(request.headers.map(\.value) == ["Bearer {tags} s/cret", "tvmaze tvmaze/show/1"])
        #expect(
            request.body.map { String(decoding: $0, as: UTF8.self) }
                == "{\"tags\": [\"tvmaze\",\"tvmaze/show/1\"]}")
        #expect(request.method == .purge)
    }

    private func withFetcher(_ body: (Fetcher) async throws -> Void) async throws {
        var configuration = FetchConfiguration()
        configuration.reach = .endpoints
        configuration.retry.attempts = 1
        configuration.totalTimeout = .seconds(600)
        let fetcher = try Fetcher(configuration)
        do {
            try await body(fetcher)
        } catch {
            await fetcher.shutdown()
            throw error
        }
        await fetcher.shutdown()
    }

    @Test func `a request is sent with its method, one for each name if it takes only one`()
        async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/a/b", .status(200))
        origin.on("/all", .status(204))
        try await withFetcher { fetcher in
            try await template("\(origin.url)/all", headers: ["Surrogate-Key: {tags}"])
                .send(["a/b", "c"], soft: false, by: fetcher)
            try await template("\(origin.url)/all?{tag}").send(
                ["a/b", "c"], soft: false, by: fetcher)
        }
        let requests = origin.log.requests
        #expect(requests.map(\.method) == ["PURGE", "PURGE", "PURGE"])
        #expect(requests.map(\.query) == [nil, "a%2Fb", "c"])
        #expect(requests.first?.header("surrogate-key") == "a/b c")
    }

    @Test(arguments: [
        (503, PurgeQueue.CallError.failed("It answered 503.")),
        (429, .failed("It answered 429.")), (401, .refused("It answered 401.")),
        (302, .refused("It answered 302.")),
    ])
    func `a status says whether the request is repeated`(
        status: Int, error: PurgeQueue.CallError
    ) async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .status(status))
        try await withFetcher { fetcher in
            await #expect(throws: error) {
                try await template("\(origin.url)/").send(["a"], soft: false, by: fetcher)
            }
        }
    }

    @Test func `a program gets names as arguments, and credentials in its environment`()
        async throws
    {
        try await withScratchDirectory { directory in
            let file = "\(directory)/seen"
            let script = "echo \"$VITRINE_PURGE_TOKEN $VITRINE_PURGE_SOFT $@\" > '\(file)'"
            try await PurgeCalls.run(
                ["/bin/sh", "-c", script, "sh", "x"], ["a", "b/c"], soft: true,
                token: Secret("secret"), within: .seconds(600))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "secret 1 x a b/c\n")
        }
    }

    @Test func `a program that fails, hangs or is missing is an error`() async {
        func error(_ command: [String], timeout: Duration = .seconds(600)) async
            -> PurgeQueue.CallError?
        {
            do throws(PurgeQueue.CallError) {
                try await PurgeCalls.run(command, [], soft: false, token: nil, within: timeout)
                return nil
            } catch {
                return error
            }
        }
        #expect(await error(["/bin/sh", "-c", "exit 3"]) == .failed("/bin/sh ended with 3."))
        #expect(
            await error(["/bin/sh", "-c", "echo /a is not ours >&2; echo more >&2; exit 3"])
                == .failed("/bin/sh ended with 3: /a is not ours"))
        // What it says doesn't stop it, and is not the service's log.
        #expect(
            await error(["/bin/sh", "-c", "head -c 500000 /dev/zero >&2"]) == nil)
        #expect(
            await error(
                ["/bin/sh", "-c", "cat /dev/zero | cat >/dev/null"], timeout: .milliseconds(1))
                == .failed("/bin/sh took too long and was ended."))
        #expect(await error(["/missing"]) == .refused("/missing can't be started."))
    }
}
