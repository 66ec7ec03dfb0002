package import Catalog
import Objects
import Serve

/// Credentials, which only the environment or a file named in the configuration may hold.
package struct Credentials: Sendable {
    package struct Entry: Sendable {
        package var value: Secret?
        /// A file that holds the value. Used if ``value`` isn't set.
        package var file: String?
    }

    package var spotifyClientID = Entry()
    package var spotifyClientSecret = Entry()
    package var tmdbToken = Entry()
    package var adminToken = Entry()
    package var urlKeys = Entry()
    package var s3AccessKeyID = Entry()
    package var s3SecretAccessKey = Entry()
    package var s3SessionToken = Entry()
    package var natsUser = Entry()
    package var natsPassword = Entry()
    package var cdnPurgeToken = Entry()

    /// Why credentials can't be used, each as one sentence without their text.
    var complaints: [String] {
        var all: [String] = []
        if let keys = urlKeys.value?.reveal(), let count = URLSignature.tooShort(in: keys) {
            all.append("url.keys has a key of \(Self.tooShort(count, URLSignature.minKeyBytes))")
        }
        if let count = adminToken.value?.reveal().utf8.count, count < AdminToken.minBytes {
            all.append("admin.token has \(Self.tooShort(count, AdminToken.minBytes))")
        }
        let pair = [s3AccessKeyID.value, s3SecretAccessKey.value].compactMap(\.self)
        if pair.count == 1 {
            all.append(
                "s3.accessKeyID and s3.secretAccessKey belong together; give both or neither.")
        }
        if pair.count == 2, s3 == nil {
            all.append(
                "s3.accessKeyID, s3.secretAccessKey or s3.sessionToken has characters that no "
                    + "key has; copy it again.")
        }
        return all
    }

    /// The key of the shared store; nil if none is set.
    var s3: S3Credentials? {
        guard let id = s3AccessKeyID.value, let secret = s3SecretAccessKey.value else { return nil }
        return S3Credentials(
            accessKeyID: id.reveal(), secretAccessKey: secret.reveal(),
            sessionToken: s3SessionToken.value?.reveal())
    }

    private static func tooShort(_ count: Int, _ least: Int) -> String {
        "\(count) \(count == 1 ? "byte" : "bytes"); use at least \(least), such as those of: "
            + "openssl rand -hex 16."
    }
}
