import Fetch
import FoundationEssentials
import Objects
import Synchronization
import TestSupport
import Testing

/// What a bucket may answer, and what it is asked.
@Suite(.timeLimit(.minutes(1))) struct S3StoreTests {
    private let object = StoredObject(Array("thumbnail".utf8), contentType: "text/plain")

    private func key() throws -> ObjectKey { try #require(ObjectKey("t/r/ab/abc")) }

    private func withPlayed(_ body: (PlayedS3, any ObjectStore) async throws -> Void) async throws {
        try await withStore(.played) { bench in
            try await body(try #require(bench.played), bench.store)
        }
    }

    @Test(arguments: [
        // Until the other writer is done.
        PlayedS3.error(409, "ConditionalRequestConflict"), PlayedS3.error(503, "SlowDown"),
        .nothing,
    ])
    func `a PUT that meets another writer, is turned away or breaks off is sent again`(
        reply: OriginReply
    ) async throws {
        try await withPlayed { played, store in
            played.fault("PUT", times: 2, reply)
            let outcome = try await store.put(object, key(), .ifAbsent)
            #expect(outcome == .stored && played.requests("PUT").count == 3)
            #expect(played["t/r/ab/abc"] == object.bytes)
        }
    }

    @Test func `a store without conditional PUTs is asked for one only once`() async throws {
        try await withStore(.unconditional) { bench in
            let played = try #require(bench.played)
            for name in ["a", "b", "c"] {
                let key = try #require(ObjectKey(name))
                #expect(try await bench.store.put(object, key, .ifAbsent) == .stored)
            }
            let conditions = played.requests("PUT").map { $0.header("if-none-match") }
            #expect(conditions == ["*", nil, nil, nil])
        }
    }

    @Test(arguments: [
        (403, "AccessDenied", "forbidden"), (403, "SignatureDoesNotMatch", "forbidden"),
        (403, "RequestTimeTooSkewed", "forbidden"), (404, "NoSuchBucket", "misconfigured"),
        (301, "PermanentRedirect", "misconfigured"), (400, "BadDigest", "damaged"),
        (400, "AuthorizationHeaderMalformed", "misconfigured"),
        (500, "InternalError", "unavailable"),
        (503, "SlowDown", "unavailable"), (418, "Teapot", "misconfigured"),
    ]) func `an answer becomes an error that says what to do`(
        _ status: Int, _ code: String, _ word: String
    ) async throws {
        try await withPlayed { played, store in
            played.fault("PUT", PlayedS3.error(status, code))
            await #expect {
                _ = try await store.put(object, key(), .always)
            } throws: { error in
                (error as? ObjectError)?.word == word && "\(error)".contains("\(status)")
            }
        }
    }

    @Test func `a redirect is not followed`() async throws {
        try await withPlayed { played, store in
            let other = try await OriginServer.start()
            played.fault("GET", .redirect(to: "\(other.url)/elsewhere", status: 307))
            await #expect {
                _ = try await store.get(key(), limit: 100)
            } throws: { error in
                (error as? ObjectError)?.word == "misconfigured"
            }
            #expect(other.log.requests.isEmpty)
        }
    }

    @Test func `an answer that is not S3's is told apart from an empty list`() async throws {
        try await withPlayed { played, store in
            played.fault("GET", .html("<p>Welcome</p>"))
            await #expect {
                _ = try await store.list(prefix: "", after: nil, limit: 10)
            } throws: { error in
                (error as? ObjectError)?.word == "misconfigured"
            }
        }
    }

    @Test func `a bucket that misses counts as a mistake, and an object that misses as missing`()
        async throws
    {
        try await withPlayed { played, store in
            let found = try await store.get(key(), limit: 10)
            #expect(found == nil)
            played.fault("GET", PlayedS3.error(404, "NoSuchBucket"))
            await #expect {
                _ = try await store.get(key(), limit: 10)
            } throws: { error in
                "\(error)".contains("“bucket” doesn't exist")
            }
        }
    }

    @Test func `expired credentials are fetched again, once`() async throws {
        let played = try await PlayedS3.start()
        played.accept(tokens: ["second"])
        let loads = Mutex(0)
        let provider = CredentialProvider(now: { Date(timeIntervalSince1970: 0) }) {
            () throws(ObjectError) in
            let number = loads.withLock { loads in
                loads += 1
                return loads
            }
            guard
                let credentials = S3Credentials(
                    accessKeyID: PlayedS3.key, secretAccessKey: "secret",
                    sessionToken: ["first", "second", "third"][min(number - 1, 2)])
            else { throw .unavailable(reason: "no credentials") }
            return credentials
        }
        try await withEndpointFetcher { fetcher in
            let service = try #require(S3Service(played.endpoint))
            let store = S3Store(service, bucket(PlayedS3.bucket), provider, fetch: fetcher)
            #expect(try await store.put(object, key(), .always) == .stored)
            #expect(loads.withLock { $0 } == 2)
            played.accept(tokens: [])
            await #expect(throws: ObjectError.self) {
                _ = try await store.put(object, key(), .always)
            }
            #expect(loads.withLock { $0 } == 3)
        }
    }

    @Test func `keys have the prefix in the bucket and not outside of the store`() async throws {
        let played = try await PlayedS3.start()
        try await withEndpointFetcher { fetcher in
            let service = try #require(S3Service(played.endpoint))
            let store = S3Store(
                service, bucket(PlayedS3.bucket, prefix: "pictures/v1"),
                ObjectsTests.key(PlayedS3.key, "secret"), fetch: fetcher)
            _ = try await store.put(object, key(), .always)
            #expect(played.objects.keys.sorted() == ["pictures/v1/t/r/ab/abc"])
            #expect(try await store.get(key(), limit: 100) == object.bytes)
            let list = try await store.list(prefix: "t/", after: "t/r", limit: 5)
            #expect(list.entries.map(\.key) == ["t/r/ab/abc"])
        }
    }

    @Test(arguments: [
        ("https://s3.eu-central-1.amazonaws.com", true, "https", "s3.eu-central-1.amazonaws.com"),
        ("https://S3.example:443/", true, "https", "s3.example"),
        ("http://10.0.0.5:7480", true, "http", "10.0.0.5:7480"),
        ("http://[fd00::5]:80", true, "http", "[fd00::5]"),
        ("https://s3.example:8443", false, "https", "pictures.s3.example:8443"),
    ]) func `an endpoint gives the host that is signed`(
        _ endpoint: String, _ isPathStyle: Bool, _ scheme: String, _ authority: String
    ) async throws {
        let service = try #require(S3Service(endpoint))
        var configuration = bucket("pictures")
        configuration.isPathStyle = isPathStyle
        let fetch = RecordingFetch()
        let store = S3Store(service, configuration, CredentialProvider(nil), fetch: fetch)
        _ = try await store.get(key(), limit: 10)
        #expect(
            fetch.urls == [
                "\(scheme)://\(authority)\(isPathStyle ? "/pictures" : "")/t/r/ab/abc"
            ])
    }

    @Test(arguments: [
        "", "s3.example", "ftp://s3.example", "https://", "https://user:secret@s3.example",
        "https://s3.example/path", "https://s3.example?x=1", "http://s3.example:0",
        "http://s3.example:99999", "http://[fd00::5", "https://s3 .example",
    ]) func `what is not an endpoint is refused`(_ endpoint: String) {
        #expect(StoreEndpoint(endpoint) == nil)
    }

    @Test(arguments: ["", "/a", "a/", "a//b", ".a", "a/../b", "a b", "a?b", "ä", "a%2Fb"])
    func `what needs encoding in a URL is not a key`(_ text: String) {
        #expect(ObjectKey(text) == nil)
    }
}

/// Notes what it is asked, and finds nothing.
private final class RecordingFetch: Fetching {
    private let asked = Mutex<[String]>([])

    var urls: [String] { asked.withLock { $0 } }

    func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        asked.withLock { $0.append(request.url) }
        return FetchResponse(
            status: 404, headers: [], body: [], url: request.url, attempts: [],
            timings: FetchTimings())
    }
}

/// Calls `body` with a fetcher for endpoints.
func withEndpointFetcher(_ body: (Fetcher) async throws -> Void) async throws {
    var configuration = FetchConfiguration()
    configuration.reach = .endpoints
    configuration.retry.baseDelay = .milliseconds(1)
    let fetcher = try Fetcher(configuration)
    do {
        try await body(fetcher)
    } catch {
        await fetcher.shutdown()
        throw error
    }
    await fetcher.shutdown()
}
