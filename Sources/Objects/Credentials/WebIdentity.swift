import FoundationEssentials
import Hashing

/// A role that AWS' Security Token Service gives to the holder of a token
/// (AssumeRoleWithWebIdentity).
///
/// Source: <https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html>.
package struct WebIdentity: Sendable, Equatable {
    /// Of the service.
    package var url: String
    /// Read for each request, because Kubernetes renews it.
    package var tokenFile: String
    package var role: String
    /// Names this process in AWS' logs.
    package var session: String

    private static let version = "2011-06-15"
    private static let defaultSession = "vitrine"

    /// Returns the role that the environment names; nil if it names none.
    ///
    /// - Parameter region: of the bucket, if the environment names none.
    /// - Throws: ``ObjectError/misconfigured(reason:)`` for a role without a token or the other way
    ///   around, an invalid region, and an endpoint of another machine without TLS, because it
    ///   could read the token.
    package init?(_ environment: [String: String], region: String) throws(ObjectError) {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let (role, file) = (value("AWS_ROLE_ARN"), value("AWS_WEB_IDENTITY_TOKEN_FILE"))
        if role == nil, file == nil { return nil }
        guard let role, let file else {
            throw .misconfigured(
                reason: "AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE belong together.")
        }
        let region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? region
        guard region.utf8.allSatisfy({ PercentCoding.isUnreserved($0) && $0 != UInt8(ascii: ".") })
        else { throw .misconfigured(reason: "AWS_REGION is not the name of a region.") }
        let url = value("AWS_ENDPOINT_URL_STS") ?? Self.url(of: region)
        guard S3Credentials.areSafe(at: url.hasSuffix("/") ? url : url + "/") else {
            throw .misconfigured(
                reason: "AWS_ENDPOINT_URL_STS is neither an https URL nor one of this machine.")
        }
        self.url = url
        self.role = role
        tokenFile = file
        session = value("AWS_ROLE_SESSION_NAME") ?? Self.defaultSession
    }

    private static func url(of region: String) -> String {
        "https://sts.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")/"
    }

    /// Returns the body of the request. It needs no signature.
    func form(token: String) -> [UInt8] {
        let fields = [
            ("Action", "AssumeRoleWithWebIdentity"), ("RoleArn", role),
            ("RoleSessionName", session), ("Version", Self.version), ("WebIdentityToken", token),
        ]
        return Array(
            fields.map { "\($0)=\(PercentCoding.encoded($1))" }.joined(separator: "&").utf8)
    }

    /// Reads the answer.
    static func credentials(in bytes: [UInt8]) throws(ObjectError) -> S3Credentials {
        let document = S3Document(bytes)
        // What the document says is never shown, because it has secrets.
        guard
            let credentials = S3Credentials(
                accessKeyID: document.first("AccessKeyId") ?? "",
                secretAccessKey: document.first("SecretAccessKey") ?? "",
                sessionToken: document.first("SessionToken"),
                expiresAt: document.first("Expiration").flatMap(S3Document.date)),
            credentials.expiresAt != nil
        else { throw .unavailable(reason: "The endpoint of its credentials gave none.") }
        return credentials
    }
}
