package import Fetch
import FoundationEssentials
import Hashing

/// The endpoints at which AWS gives a container or a machine its credentials.
package enum CredentialEndpoint: Sendable, Equatable {
    /// Of a container (ECS, EKS Pod Identity). A token, or the text of a file, is the value of
    /// `Authorization`. The file is read for each request, because it is renewed.
    case container(url: String, token: String?, tokenFile: String?)
    /// Of a machine, version 2 of the instance metadata service.
    case instance(url: String)
    /// AWS' Security Token Service, which gives credentials for a token that another service has
    /// signed, such as Kubernetes (IRSA).
    case webIdentity(WebIdentity)

    /// Of all addresses of such endpoints.
    package static let instanceURL = "http://169.254.169.254"
    private static let containerURL = "http://169.254.170.2"

    /// Returns the endpoint that the environment of a container names; nil if it names none.
    ///
    /// - Throws: ``ObjectError/misconfigured(reason:)`` for a plain-HTTP endpoint at another address
    ///   than this machine's, because it could read the credentials.
    package static func container(
        _ environment: [String: String]
    ) throws(ObjectError) -> CredentialEndpoint? {
        func value(_ name: String) -> String? {
            environment["AWS_CONTAINER_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
        }
        let file = value("AUTHORIZATION_TOKEN_FILE")
        let token = file == nil ? value("AUTHORIZATION_TOKEN") : nil
        if let path = value("CREDENTIALS_RELATIVE_URI") {
            return .container(url: containerURL + path, token: token, tokenFile: file)
        }
        guard let url = value("CREDENTIALS_FULL_URI") else { return nil }
        guard S3Credentials.areSafe(at: url) else {
            throw .misconfigured(
                reason: "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither an https URL nor one of "
                    + "this machine.")
        }
        return .container(url: url, token: token, tokenFile: file)
    }
}

extension CredentialEndpoint {
    /// Returns the credentials that the endpoint gives now.
    ///
    /// - Parameter fetch: reaches any address; see `FetchConfiguration.Reach.endpoints`.
    package func load(
        _ fetch: any Fetching, readFile: @Sendable (String) async -> String?
    ) async throws(ObjectError) -> S3Credentials {
        switch self {
        case .container(let url, var token, let tokenFile):
            if let tokenFile {
                token = await readFile(tokenFile)
                guard token != nil else {
                    throw .unavailable(
                        reason: "\(tokenFile) with the container's token can't be read.")
                }
            }
            let headers = token.map { [(name: "Authorization", value: $0)] } ?? []
            return try await Self.credentials(in: request(.get, url, headers, fetch))
        case .instance(let url):
            let token = try await request(
                .put, "\(url)/latest/api/token",
                [("X-aws-ec2-metadata-token-ttl-seconds", "21600")], fetch)
            let headers = [
                (name: "X-aws-ec2-metadata-token", value: String(decoding: token, as: UTF8.self))
            ]
            let list = "\(url)/latest/meta-data/iam/security-credentials/"
            let roles = String(
                decoding: try await request(.get, list, headers, fetch), as: UTF8.self)
            guard let role = roles.split(whereSeparator: \.isNewline).first else {
                throw .misconfigured(reason: "This machine has no role, so it has no credentials.")
            }
            let name = PercentCoding.encoded(String(role))
            return try await Self.credentials(in: request(.get, list + name, headers, fetch))
        case .webIdentity(let identity):
            guard let token = await readFile(identity.tokenFile) else {
                throw .unavailable(
                    reason: "\(identity.tokenFile) with the web identity's token can't be read.")
            }
            let bytes = try await request(
                .post, identity.url,
                [("Content-Type", "application/x-www-form-urlencoded")], fetch,
                body: identity.form(token: token))
            return try WebIdentity.credentials(in: bytes)
        }
    }

    private func request(
        _ method: FetchRequest.Method, _ url: String, _ headers: [(name: String, value: String)],
        _ fetch: any Fetching, body: [UInt8]? = nil
    ) async throws(ObjectError) -> [UInt8] {
        var request = FetchRequest(url: url, purpose: .object, maxBytes: 64 << 10)
        request.method = method
        request.headers = headers
        request.body = body
        let response: FetchResponse
        do throws(FetchError) {
            response = try await fetch.fetch(request)
        } catch {
            throw ObjectError(error, "the endpoint of its credentials")
        }
        guard response.status == 200 else {
            let code = S3Document(response.body).code.map { ": \($0)" } ?? ""
            throw .unavailable(
                reason: "The endpoint of its credentials answered \(response.status)\(code).")
        }
        return response.body
    }

    /// Reads the document that both endpoints give.
    static func credentials(in bytes: [UInt8]) throws(ObjectError) -> S3Credentials {
        struct Document: Decodable {
            var AccessKeyId: String?
            var SecretAccessKey: String?
            var Token: String?
            var Expiration: String?
        }
        // What the document says is never shown, because it has secrets.
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)),
            let credentials = S3Credentials(
                accessKeyID: document.AccessKeyId ?? "",
                secretAccessKey: document.SecretAccessKey ?? "", sessionToken: document.Token,
                expiresAt: document.Expiration.flatMap(S3Document.date))
        else {
            throw .unavailable(reason: "The endpoint of its credentials gave none.")
        }
        return credentials
    }
}
