package import Fetch

/// Why an object or a list of a bucket can't be had.
///
/// `description` is one sentence for people, which clients read, too. It names the folder and neither the
/// endpoint nor the bucket.
package struct BucketError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// There is no such object.
        case absent
        /// The object is there, and can't be shown as it is: a directory, archived, too large.
        case unusable
        /// The bucket can't be reached, is overloaded, refuses access, or the settings don't fit it.
        case unavailable
        case timedOut
        case canceled
    }

    package var kind: Kind
    package var description: String
    /// The requests that were sent.
    package var attempts: [FetchAttempt] = []
    /// Set if there was no response.
    package var cause: FetchError?

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

extension BucketError {
    /// - Parameter folder: the name of the folder.
    init(_ fault: S3Client.Fault, of folder: String) {
        switch fault {
        case .credentials(.canceled): self.init(.canceled, "The request was canceled.")
        case .credentials(.unavailable(let reason)), .credentials(.forbidden(let reason)),
            .credentials(.misconfigured(let reason)), .credentials(.damaged(let reason)):
            self.init(.unavailable, "The folder “\(folder)” has no credentials: \(reason)")
        case .credentials(.tooLarge):
            self.init(.unavailable, "The folder “\(folder)” has no credentials.")
        case .fetch(let error):
            switch error.cause {
            case .canceled, .stopped: self.init(.canceled, "The request was canceled.")
            case .tooLarge(let limit):
                self.init(.unusable, "The object is larger than \(limit) bytes.")
            case .timedOut:
                self.init(.timedOut, "The bucket of “\(folder)” is too slow.")
            case .truncated:
                self.init(.unavailable, "The bucket of “\(folder)” sent only a part of the object.")
            case .resolveFailed, .connectFailed, .resting, .held, .tlsFailed, .notTrusted,
                .protocolError, .redirectRefused, .tooManyRedirects, .invalidURL, .hostNotAllowed,
                .addressRefused, .configuration:
                self.init(.unavailable, "The bucket of “\(folder)” can't be reached.")
            }
            attempts = error.attempts
            cause = error
        }
    }

    /// Returns the error of a response without an object.
    ///
    /// - Parameters:
    ///   - key: below the prefix; nil for a list.
    ///   - folder: the name of the folder.
    init(_ response: FetchResponse, of key: String?, _ folder: String) {
        let code = response.s3Code ?? ""
        let answer = code.isEmpty ? "\(response.status)" : "\(response.status), \(code)"
        let object = "The object “\(Self.shortened(key ?? ""))”"
        let bucket = "The bucket of “\(folder)”"
        let settings = "folders.\(folder)"
        self =
            switch (response.status, code) {
            case (_, "NoSuchBucket"):
                Self(.unavailable, "\(bucket) doesn't exist. Correct \(settings).location.")
            case (_, "RequestTimeTooSkewed"):
                Self(
                    .unavailable,
                    "The clocks of this machine and of the bucket of “\(folder)” differ by minutes. "
                        + "Correct this machine's.")
            case (_, "InvalidObjectState"):
                Self(.unusable, "\(object) is archived. Restore it in its bucket first.")
            case _ where Self.isOfKey(response):
                Self(
                    .unusable,
                    "\(object) is encrypted with a key that the credentials of “\(folder)” may not "
                        + "use (\(answer)). Allow them kms:Decrypt.")
            case (301, _), (307, _), (308, _), (_, "AuthorizationHeaderMalformed"),
                (_, "IllegalLocationConstraintException"), (_, "PermanentRedirect"):
                Self(.unavailable, Self.region(response, bucket, settings))
            case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"), (_, "InvalidToken"):
                Self(
                    .unavailable,
                    "\(bucket) rejects the credentials (\(answer)). Correct \(settings).credentials."
                )
            case (401, _), (403, _):
                Self(
                    .unavailable,
                    "\(bucket) refuses access (\(answer)). Its credentials need s3:GetObject and "
                        + "s3:ListBucket.")
            case (404, _) where key == nil, (404, "NoSuchWebsiteConfiguration"):
                Self(.unavailable, "\(bucket) can't be listed (\(answer)).")
            case (404, _), (410, _):
                key?.hasSuffix("/") == true
                    ? Self(.absent, "“\(Self.shortened(key ?? ""))” is a directory.")
                    : Self(.absent, "\(object) doesn't exist.")
            case (408, _), (504, _): Self(.timedOut, "\(bucket) is too slow (\(answer)).")
            case (429, _), (500...599, _):
                Self(.unavailable, "\(bucket) is overloaded or has failed (\(answer)).")
            case (200...299, _):
                Self(.unavailable, "The endpoint of “\(folder)” doesn't answer like S3.")
            default: Self(.unavailable, "\(bucket) rejects the request (\(answer)).")
            }
        attempts = response.attempts
    }

    /// Names the region in which the bucket is, if the store says it.
    private static func region(
        _ response: FetchResponse, _ bucket: String, _ settings: String
    ) -> String {
        let told = response.header("x-amz-bucket-region") ?? response.s3Error?.first("Region")
        guard let told, S3Configuration.isRegion(told) else {
            return
                "\(bucket) is in another region. Correct \(settings).region and \(settings).endpoint."
        }
        return "\(bucket) is in the region \(told). Set \(settings).region to it."
    }

    /// Returns whether a key of the store's key management, or one of the client's own, is at fault.
    private static func isOfKey(_ response: FetchResponse) -> Bool {
        guard let error = response.s3Error, let code = error.code else { return false }
        if code.hasPrefix("KMS") { return true }
        let message = error.first("Message")?.lowercased() ?? ""
        return code == "AccessDenied" && message.contains("kms:")
            || code == "InvalidRequest" && message.contains("server side encryption")
    }

    /// The longest part of a key in a sentence, in characters.
    private static let longest = 120

    private static func shortened(_ key: String) -> String {
        key.count > longest ? "\(key.prefix(longest))…" : key
    }
}
