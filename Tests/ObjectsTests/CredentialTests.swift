import Fetch
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import Objects

/// Credentials that endpoints of the machine give.
@Suite(.timeLimit(.minutes(1))) struct CredentialTests {
    private static let document = """
        {"Code": "Success", "AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "geheim-1",
         "Token": "geheim-2", "Expiration": "2026-11-22T18:00:00Z"}
        """

    @Test func `a machine gives the credentials of its role for a token`() async throws {
        let origin = try await OriginServer.start()
        let list = "/latest/meta-data/iam/security-credentials/"
        origin.on("/latest/api/token") { request in
            request.method == "PUT"
                && request.header("x-aws-ec2-metadata-token-ttl-seconds") == "21600"
                ? .ok(Array("token-1".utf8)) : .status(405)
        }
        func guarded(_ text: String) -> OriginServer.Answer {
            { request in
                request.header("x-aws-ec2-metadata-token") == "token-1"
                    ? .ok(Array(text.utf8)) : .status(401)
            }
        }
        origin.on(list, answer: guarded("role a\n"))
        origin.on("\(list)role%20a", answer: guarded(Self.document))
        try await withEndpointFetcher { fetcher in
            let credentials = try await CredentialEndpoint.instance(url: origin.url)
                .load(fetcher) { _ in nil }
            #expect(credentials.accessKeyID == "ASIAEXAMPLE")
            #expect(credentials.sessionToken == "geheim-2")
            #expect(
                credentials.expiresAt == (try Date("2026-11-22T18:00:00Z", strategy: .iso8601)))
        }
    }

    @Test func `a container's endpoint gets the token from the file, each time anew`() async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/v1/credentials", .json(Self.document))
        let reads = Mutex(0)
        try await withEndpointFetcher { fetcher in
            let endpoint = try #require(
                try CredentialEndpoint.container([
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(origin.url)/v1/credentials",
                    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/run/token",
                ]))
            for _ in 0..<2 {
                _ = try await endpoint.load(fetcher) { path in
                    reads.withLock { reads in
                        reads += 1
                        return "\(path) \(reads)"
                    }
                }
            }
        }
        #expect(
            origin.log.requests.map { $0.header("authorization") }
                == ["/run/token 1", "/run/token 2"])
    }

    @Test(arguments: [
        "http://10.0.0.1/credentials", "http://127.0.0.1.example/credentials",
        "http://localhost@10.0.0.1/", "ftp://127.0.0.1/",
    ]) func `an endpoint elsewhere without TLS is refused`(_ url: String) {
        #expect(throws: ObjectError.self) {
            _ = try CredentialEndpoint.container(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url])
        }
    }

    @Test func `an endpoint of ECS is named by its path`() throws {
        #expect(
            try CredentialEndpoint.container([
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/1"
            ]) == .container(url: "http://169.254.170.2/v2/credentials/1", token: .none))
        #expect(try CredentialEndpoint.container([:]) == nil)
    }

    @Test func `credentials are renewed five minutes before they expire`() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        let loads = Mutex(0)
        let provider = FetchedCredentials(now: { clock.now }) { () throws(ObjectError) in
            let number = loads.withLock { loads in
                loads += 1
                return loads
            }
            // The second time the endpoint is down.
            guard number != 2,
                let credentials = S3Credentials(
                    accessKeyID: "KEY\(number)", secretAccessKey: "secret",
                    expiresAt: clock.now.addingTimeInterval(3_600))
            else { throw .unavailable(reason: "down") }
            return credentials
        }
        func id() async throws -> String? { try await provider.credentials()?.accessKeyID }
        #expect(try await id() == "KEY1")
        clock.advance(by: 3_299)
        #expect(try await id() == "KEY1" && loads.withLock { $0 } == 1)
        clock.advance(by: 2)
        // The old ones still work.
        #expect(try await id() == "KEY1" && loads.withLock { $0 } == 2)
        clock.advance(by: 1)
        #expect(try await id() == "KEY1" && loads.withLock { $0 } == 2)
        clock.advance(by: 10)
        #expect(try await id() == "KEY3")
    }

    @Test func `what an endpoint says is in no error`() async throws {
        let text = "{\"AccessKeyId\": \"AKID\", \"SecretAccessKey\": \"geheim-1\"}"
        for document in [text + "!", "{\"SecretAccessKey\": \"geheim-1\"}", "geheim-1"] {
            #expect {
                _ = try CredentialEndpoint.credentials(in: Array(document.utf8))
            } throws: { error in
                !"\(error)".contains("geheim")
            }
        }
    }
}
