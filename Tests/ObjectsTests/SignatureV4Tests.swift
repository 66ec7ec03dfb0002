import FoundationEssentials
import Testing

@testable import Objects

/// AWS's published vectors: the Signature Version 4 test suite, and the examples of the S3
/// documentation.
@Suite struct SignatureV4Tests {
    /// One file of the test suite. Each has the host `example.amazonaws.com` and the same date.
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "GET"
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        var signed = "host;x-amz-date"
        var signature: String

        var testDescription: String { name }
    }

    private static let suite = [
        Vector(
            name: "get-vanilla",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-vanilla-empty-query-key", query: [("Param1", "value1")],
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Vector(
            name: "get-vanilla-query-order-key-case",
            query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-vanilla-query-unreserved", query: [(unreserved, unreserved)],
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Vector(
            name: "get-vanilla-utf8-query", query: [("ሴ", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            name: "get-unreserved", path: "/\(unreserved)",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-utf8", path: "/%E1%88%B4",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            name: "get-header-value-trim",
            headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signed: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "post-header-key-sort", method: "POST", headers: [("My-Header1", "value1")],
            signed: "host;my-header1;x-amz-date",
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Vector(
            name: "post-vanilla-query", method: "POST", query: [("Param1", "value1")],
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Vector(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: "Param1=value1", signed: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    ]

    private static let unreserved =
        "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    /// Checks a vector's signature. Requests to S3 name the digest of their body in a header.
    private func check(
        _ vector: Vector, host: String, at time: String, id: String, secret: String,
        service: String
    ) throws {
        let date = try Date(time, strategy: .iso8601)
        let credentials = try #require(S3Credentials(accessKeyID: id, secretAccessKey: secret))
        let (payload, stamp) = (
            StoredObject(Array(vector.body.utf8)).sha256, SignatureV4.timestamp(date)
        )
        var headers = vector.headers + [("Host", host), ("X-Amz-Date", stamp)]
        if service == "s3" { headers.append(("x-amz-content-sha256", payload)) }
        let request = SignatureV4.Request(
            method: vector.method, path: vector.path, query: vector.query, headers: headers,
            payload: payload)
        #expect(
            SignatureV4(region: "us-east-1", service: service)
                .authorization(of: request, credentials, at: date)
                == "AWS4-HMAC-SHA256 Credential=\(id)/\(stamp.prefix(8))/us-east-1/\(service)/"
                + "aws4_request, SignedHeaders=\(vector.signed), Signature=\(vector.signature)")
    }

    @Test(arguments: suite) func `a request of AWS's test suite gets its published signature`(
        _ vector: Vector
    ) throws {
        try check(
            vector, host: "example.amazonaws.com", at: "2015-08-30T12:36:00Z", id: "AKIDEXAMPLE",
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", service: "service")
    }

    private static let examples = [
        Vector(
            name: "GET Object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
            signed: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            name: "PUT Object", method: "PUT", path: "/test%24file.text",
            headers: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], body: "Welcome to Amazon S3.",
            signed: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            name: "GET Bucket Lifecycle", query: [("lifecycle", "")],
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            name: "GET Bucket (List Objects)", query: [("prefix", "J"), ("max-keys", "2")],
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples) func `an example of the S3 documentation gets its signature`(
        _ vector: Vector
    ) throws {
        try check(
            vector, host: "examplebucket.s3.amazonaws.com", at: "2013-05-24T00:00:00Z",
            id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            service: "s3")
    }

    @Test func `no text made from credentials has the key`() throws {
        let credentials = try #require(
            S3Credentials(
                accessKeyID: "AKIDEXAMPLE", secretAccessKey: "geheim-1", sessionToken: "geheim-2"))
        var dumped = ""
        dump([credentials], to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("geheim") && !text.contains("AKID"))
        }
    }
}
