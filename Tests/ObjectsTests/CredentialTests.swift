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

    @Test func `a container's endpoint gets the token from the file, read each time`() async throws
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
            ])
                == .container(
                    url: "http://169.254.170.2/v2/credentials/1", token: nil, tokenFile: nil))
        #expect(try CredentialEndpoint.container([:]) == nil)
    }

    @Test(arguments: ["2026-11-22T18:00:00Z", "2026-11-22T18:00:00.250Z"])
    func `a date is read without its fraction`(_ text: String) throws {
        let date = try #require(S3Document.date(text))
        #expect(date.formatted(.iso8601) == "2026-11-22T18:00:00Z")
    }

    // MARK: - Web identities

    /// As AWS' documentation shows it.
    private static let assumed = """
        <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult>
            <SubjectFromWebIdentityToken>system:serviceaccount:web:vitrine</SubjectFromWebIdentityToken>
            <Audience>sts.amazonaws.com</Audience>
            <AssumedRoleUser>
              <Arn>arn:aws:sts::123456789012:assumed-role/pictures/vitrine</Arn>
              <AssumedRoleId>AROACLKWSDQRAOEXAMPLE:vitrine</AssumedRoleId>
            </AssumedRoleUser>
            <Credentials>
              <SessionToken>geheim-2/+=</SessionToken>
              <SecretAccessKey>geheim-1</SecretAccessKey>
              <Expiration>2026-11-22T18:00:00Z</Expiration>
              <AccessKeyId>ASIAEXAMPLE</AccessKeyId>
            </Credentials>
            <Provider>oidc.eks.eu-central-1.amazonaws.com</Provider>
          </AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>
        """

    @Test func `a service account's token gives the credentials of its role`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/") { request in
            request.method == "POST" ? .ok(Array(Self.assumed.utf8)) : .status(405)
        }
        let reads = Mutex(0)
        try await withEndpointFetcher { fetcher in
            let identity = try #require(
                try WebIdentity(
                    [
                        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/pictures",
                        "AWS_WEB_IDENTITY_TOKEN_FILE": "/run/token",
                        "AWS_ENDPOINT_URL_STS": "\(origin.url)/",
                    ], region: "eu-central-1"))
            for _ in 0..<2 {
                let credentials = try await CredentialEndpoint.webIdentity(identity)
                    .load(fetcher) { path in
                        reads.withLock { reads in
                            reads += 1
                            return "\(path) \(reads)"
                        }
                    }
                #expect(credentials.accessKeyID == "ASIAEXAMPLE")
                #expect(credentials.secretAccessKey == "geheim-1")
                #expect(credentials.sessionToken == "geheim-2/+=")
                #expect(
                    credentials.expiresAt == (try Date("2026-11-22T18:00:00Z", strategy: .iso8601)))
            }
        }
        // The file is read each time. The token is in no URL, which logs would show.
        let bodies = origin.log.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(
            bodies.first
                == "Action=AssumeRoleWithWebIdentity"
                + "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fpictures"
                + "&RoleSessionName=vitrine&Version=2011-06-15&WebIdentityToken=%2Frun%2Ftoken%201")
        #expect(bodies.last?.hasSuffix("WebIdentityToken=%2Frun%2Ftoken%202") == true)
        #expect(origin.log.requests.allSatisfy { $0.query == nil })
    }

    @Test func `a refused token is reported with STS's code and without the token`() async throws {
        let origin = try await OriginServer.start()
        let refusal = """
            <ErrorResponse><Error><Type>Sender</Type><Code>ExpiredTokenException</Code>
            <Message>Token geheim-1 expired</Message></Error></ErrorResponse>
            """
        origin.on("/", OriginReply(400, body: Array(refusal.utf8)))
        try await withEndpointFetcher { fetcher in
            let identity = try #require(
                try WebIdentity(
                    [
                        "AWS_ROLE_ARN": "arn:aws:iam::1:role/a",
                        "AWS_WEB_IDENTITY_TOKEN_FILE": "/run/token",
                        "AWS_ENDPOINT_URL_STS": origin.url,
                    ], region: "us-east-1"))
            await #expect {
                _ = try await CredentialEndpoint.webIdentity(identity).load(fetcher) { _ in
                    "geheim-1"
                }
            } throws: { error in
                "\(error)".contains("400: ExpiredTokenException") && !"\(error)".contains("geheim")
            }
        }
    }

    @Test(arguments: [
        ("us-east-1", "https://sts.us-east-1.amazonaws.com/"),
        ("cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn/"),
    ]) func `roles are asked for in the region of the environment`(
        _ region: String, _ url: String
    ) throws {
        let identity = try WebIdentity(
            [
                "AWS_ROLE_ARN": "role", "AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_REGION": region,
                "AWS_ROLE_SESSION_NAME": "web-1",
            ], region: "eu-west-1")
        #expect(identity?.url == url)
        #expect(identity?.session == "web-1")
    }

    @Test(arguments: [
        ["AWS_ROLE_ARN": "role"], ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t"],
        ["AWS_ROLE_ARN": "role", "AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_REGION": "evil.com/"],
        [
            "AWS_ROLE_ARN": "role", "AWS_WEB_IDENTITY_TOKEN_FILE": "/t",
            "AWS_ENDPOINT_URL_STS": "http://10.0.0.1",
        ],
    ]) func `half a web identity, and one that would show its token, is refused`(
        _ environment: [String: String]
    ) throws {
        #expect(throws: ObjectError.self) {
            _ = try WebIdentity(environment, region: "us-east-1")
        }
        #expect(try WebIdentity(["AWS_REGION": "us-east-1"], region: "us-east-1") == nil)
    }

    @Test func `credentials are renewed five minutes before they expire`() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        let loads = Mutex(0)
        let provider = CredentialProvider(now: { clock.now }) { () throws(ObjectError) in
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
        #expect {
            _ = try WebIdentity.credentials(
                in: Array("<SecretAccessKey>geheim-1</SecretAccessKey>".utf8))
        } throws: { error in
            !"\(error)".contains("geheim")
        }
        for document in [text + "!", "{\"SecretAccessKey\": \"geheim-1\"}", "geheim-1"] {
            #expect {
                _ = try CredentialEndpoint.credentials(in: Array(document.utf8))
            } throws: { error in
                !"\(error)".contains("geheim")
            }
        }
    }
}
