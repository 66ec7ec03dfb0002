import Fetch
import FoundationEssentials

/// Signs requests to an S3-compatible service at the moment of sending them. Any thread.
struct S3Client: Sendable {
    /// Why there is no response.
    enum Fault: Error {
        /// There are no credentials to sign with.
        case credentials(ObjectError)
        case fetch(FetchError)
    }

    let service: S3Service
    let configuration: S3Configuration
    private let credentials: CredentialProvider
    private let fetch: any Fetching
    private let now: @Sendable () -> Date
    private let signature: SignatureV4

    /// The digest of no bytes.
    private static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    /// Room for the document of an error, which is lost if a body has more.
    private static let maxError = 64 << 10

    init(
        _ service: S3Service, _ configuration: S3Configuration, _ credentials: CredentialProvider,
        fetch: any Fetching, now: @escaping @Sendable () -> Date
    ) {
        self.service = service
        self.configuration = configuration
        self.credentials = credentials
        self.fetch = fetch
        self.now = now
        signature = SignatureV4(region: configuration.region)
    }

    /// Returns the response, after a second try with newer credentials if those of the first had expired.
    ///
    /// - Parameters:
    ///   - path: percent-encoded.
    ///   - prepare: changes what is not signed.
    func send(
        _ method: FetchRequest.Method, _ path: String,
        query: [(name: String, value: String)] = [], object: StoredObject? = nil,
        headers: [(String, String)] = [], limit: Int = 0,
        _ prepare: @Sendable (inout FetchRequest) -> Void = { _ in }
    ) async throws(Fault) -> FetchResponse {
        func once(_ credentials: S3Credentials?) async throws(Fault) -> FetchResponse {
            var request = signed(method, path, query, object, headers, limit, credentials)
            prepare(&request)
            do throws(FetchError) {
                return try await fetch.fetch(request)
            } catch {
                throw .fetch(error)
            }
        }
        let credentials = try await current()
        let answer = try await once(credentials)
        guard let credentials, answer.isExpired, await self.credentials.expire(credentials) else {
            return answer
        }
        return try await once(try await current())
    }

    private func current() async throws(Fault) -> S3Credentials? {
        do throws(ObjectError) {
            return try await credentials.credentials()
        } catch {
            throw .credentials(error)
        }
    }

    private func signed(
        _ method: FetchRequest.Method, _ path: String, _ query: [(name: String, value: String)],
        _ object: StoredObject?, _ headers: [(String, String)], _ limit: Int,
        _ credentials: S3Credentials?
    ) -> FetchRequest {
        let date = now()
        let payload = object?.sha256 ?? Self.nothing
        var signed: [(name: String, value: String)] = headers.map { ($0, $1) }
        signed.append(("x-amz-content-sha256", payload))
        signed.append(("x-amz-date", SignatureV4.timestamp(date)))
        if let token = credentials?.sessionToken { signed.append(("x-amz-security-token", token)) }
        let (text, authority) = (SignatureV4.query(query), service.authority(configuration))
        var request = FetchRequest(
            url: "\(service.scheme)://\(authority)\(path)"
                + (text.isEmpty ? "" : "?\(text)"),
            purpose: .object, maxBytes: max(limit, Self.maxError))
        request.method = method
        request.headers = signed
        if let credentials {
            let authorization = signature.authorization(
                of: .init(
                    method: method.rawValue, path: path, query: query,
                    headers: signed + [("host", authority)], payload: payload),
                credentials, at: date)
            request.headers.append(("Authorization", authorization))
        }
        request.body = object?.bytes
        request.finalStatuses = [501]
        return request
    }
}

extension FetchResponse {
    /// The document of the store's error; nil for an answer that is none.
    var s3Error: S3Document? { (200...299).contains(status) ? nil : S3Document(body) }

    /// The code of the store's error; nil for an answer without a body, such as that to a HEAD.
    var s3Code: String? { s3Error?.code }

    /// Whether the credentials of the request have expired.
    fileprivate var isExpired: Bool {
        status == 400 || status == 403
            ? ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"]
                .contains(s3Code ?? "") : false
    }
}
